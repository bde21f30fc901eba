"""The page in a real browser: what it shows is what the solver says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from games import GameGraph, Policy, RuleBook, compile_rulebook, make_rulebook
from report.build import report
from report.document import Report
from report.page import page as render
from report.players import SIGNS
from report.tables import beats, count, exact, hundredths, percent, signed
from solver import scorecard, solve
from tests.report.browser import Reader
from tests.report.made import as_read, baselines, entries, report_on, trained

GAME = "number-flip"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Report:
    out = tmp_path_factory.mktemp("runs")
    return report_on(entries(*(trained(out, GAME, seed=seed) for seed in (0, 1))))


@pytest.fixture(scope="module")
def document(whole: Report) -> dict[str, Any]:
    return as_read(whole)


@pytest.fixture(scope="module")
def file(whole: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(whole, tmp_path_factory.mktemp("page"))


def written(report: Report, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(render(report), encoding="utf-8")
    return folder / "index.html"


@pytest.fixture
def reader(chromium: Any, file: Path) -> Iterator[Reader]:
    reader = Reader(chromium, file)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def flip() -> GameGraph:
    return compile_rulebook(make_rulebook(GAME))


def kinds(graph: GameGraph, player: dict[str, Any]) -> dict[int, str]:
    """What the solver says of a player at every state."""
    solution = solve(graph)
    expected = {}
    for state in range(graph.num_states):
        row = player["policy"]["rows"][player["policy"]["row"][state]]
        wrong = any(p > 0 and not solution.keeps[state, a] for a, p in enumerate(row))
        expected[state] = ("blunder" if wrong else "keeps") if solution.critical[state] else "nothing"
    return expected


def test_every_game_opens_without_complaint_and_shows_all_its_positions(chromium: Any, tmp_path: Path) -> None:
    reader = Reader(chromium, written(baselines(), tmp_path))
    for number, game in enumerate(as_read(baselines())["games"]):
        reader.tab.click(f"nav.tabs a >> nth={number}")
        assert reader.tab.locator("article.game:visible").count() == 1
        graph = compile_rulebook(make_rulebook(game["game"]))
        opened = reader.tab.locator(f"[data-game='{number}'] [data-map] select").first.input_value()
        assert game["players"][int(opened)]["name"] != "uniform"
        expected = kinds(graph, game["players"][int(opened)])
        assert {state: kind for state, (kind, _) in reader.cells(number).items()} == expected
        reader.tab.select_option(f"[data-game='{number}'] [data-map] select >> nth=1", "values")
        value = solve(graph).value.tolist()
        assert {s: kind for s, (kind, _) in reader.cells(number).items()} == {
            s: {1: "won", 0: "held", -1: "lost"}[v] for s, v in enumerate(value)
        }
        assert game["headline"] in reader.tab.inner_text(f"[data-game='{number}']")
    reader.close()


def test_the_map_of_each_player_is_coloured_as_the_solver_says(
    reader: Reader, document: dict[str, Any], flip: GameGraph
) -> None:
    for number, player in enumerate(document["games"][0]["players"]):
        reader.tab.select_option("[data-game='0'] [data-map] select >> nth=0", str(number))
        cells = reader.cells()
        expected = kinds(flip, player)
        assert {state: kind for state, (kind, _) in cells.items()} == expected
        assert sum(kind == "blunder" for kind in expected.values()) == player["card"]["blunders"]
        row = player["policy"]["rows"][player["policy"]["row"][150]]
        assert cells[150][1] == str(flip.moves[row.index(max(row))])
    keeps, blunder = (
        reader.tab.evaluate(f"getComputedStyle(document.querySelector('[data-game=\"0\"] .cell.{kind}')).borderColor")
        for kind in ("keeps", "blunder")
    )
    assert keeps != blunder


def test_pointing_at_a_position_shows_every_move_best_first(
    reader: Reader, document: dict[str, Any], flip: GameGraph
) -> None:
    solution = solve(flip)
    player = document["games"][0]["players"][0]
    for state in (0, 100, 200, 443):
        reader.tab.hover(f"[data-game='0'] button[data-state='{state}']")
        detail = reader.tab.locator("[data-game='0'] .detail")
        assert detail.locator("h4").inner_text() == flip.words(state)
        rows = detail.locator("tbody tr").evaluate_all("all => all.map(r => [...r.children].map(c => c.textContent))")
        expected = []
        for action in flip.legal[state].nonzero()[0].tolist():
            after = int(flip.next_state[state, action])
            value = -int(solution.value[after]) if after >= 0 else -1  # in this game only losing ends it
            plies = int(solution.remoteness[after]) + 1 if after >= 0 else 1
            keeps = "✓ keeps" if solution.keeps[state, action] else "✗ blunder"
            p = player["policy"]["rows"][player["policy"]["row"][state]][action]
            words = {1: "wins", -1: "loses"}[value]
            order = (-value, plies * value, action)
            expected.append((order, [str(flip.moves[action]), keeps, words, str(plies), f"{100 * p:.0f}%"]))
        assert rows == [cells for _, cells in sorted(expected)]


def test_the_slider_shows_the_policy_as_it_was(reader: Reader, document: dict[str, Any], flip: GameGraph) -> None:
    player, solution = document["games"][0]["players"][1], solve(flip)
    reader.tab.select_option("[data-game='0'] [data-map] select >> nth=0", "1")
    slider = reader.tab.locator("[data-game='0'] input[type=range]")
    curve, texts = player["curve"], player["snapshots"]["actions"]
    seen = []
    for at in (0, 3, 15, len(texts) - 1):
        slider.evaluate("(s, at) => { s.value = at; s.dispatchEvent(new Event('input')); }", at)
        text = next(text for text in reversed(texts[: at + 1]) if text is not None)
        expected = {
            s for s, sign in enumerate(text) if solution.critical[s] and not solution.keeps[s, SIGNS.index(sign)]
        }
        cells = reader.cells()
        assert {state for state, (kind, _) in cells.items() if kind == "blunder"} == expected
        assert [cells[s][1] for s in range(len(text))] == [str(flip.moves[SIGNS.index(sign)]) for sign in text]
        lost = exact(curve["exploitability"][at])
        words = f"step {curve['steps'][at]:,}: {len(expected)} blunders, exploitability {lost}"
        assert (reader.tab.inner_text("[data-game='0'] output"), len(expected)) == (words, curve["blunders"][at])
        seen.append(expected)
    assert seen[0] != seen[2] != seen[3]
    slider.focus()
    reader.tab.keyboard.press("ArrowLeft")
    assert reader.tab.inner_text("[data-game='0'] output").startswith(f"step {curve['steps'][-2]:,}:")


def test_the_map_can_be_walked_by_keyboard(reader: Reader, flip: GameGraph) -> None:
    reader.tab.locator("[data-game='0'] button[data-state='0']").focus()
    reader.tab.keyboard.press("ArrowDown")
    reader.tab.keyboard.press("ArrowRight")
    heading = reader.tab.inner_text("[data-game='0'] .detail h4")
    assert heading != flip.words(0)
    focused = reader.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert focused == "solid"


def test_trying_a_blunder_oneself_hides_the_answer_first(reader: Reader, document: dict[str, Any]) -> None:
    box = reader.tab.locator("[data-game='0'] [data-blunders]")
    blunder = document["games"][0]["players"][0]["blunders"][0]
    first = box.locator("li").first
    assert f"Refuted by {blunder['line'][0]}" in first.inner_text()
    box.get_by_label("try it yourself").check()
    assert "Refuted" not in first.inner_text()
    first.get_by_role("button", name=str(blunder["keeps"][0]), exact=True).click()
    assert f"✓ {blunder['keeps'][0]} keeps it." in first.inner_text()
    assert f"✗ {blunder['move']}" in first.inner_text()
    listed = box.locator("li").count()
    box.get_by_role("button", name="show all").click()
    assert box.locator("li").count() == len(document["games"][0]["players"][0]["blunders"]) > listed


def play(reader: Reader, flip: GameGraph, opponent: str, first: str, *, perfectly: bool) -> Any:
    """A whole game; the reader knows perfect play, or says the lowest number."""
    keeps = solve(flip).keeps
    box = reader.tab.locator("[data-game='0'] [data-play]")
    box.locator("select").nth(0).select_option(label=opponent)
    box.locator("select").nth(1).select_option(label=first)
    box.get_by_role("button", name="new game").click()
    while box.locator(".moves-row button").count():
        position = [int(n) for n in re.findall(r"\d+", box.locator(".table").inner_text())]
        state = flip.state(position)
        offered = [int(move) for move in box.locator(".moves-row button").all_inner_texts()]
        assert offered == flip.moves[flip.legal[state]].tolist()
        good = flip.moves[keeps[state]].tolist()
        move = good[0] if perfectly and good else offered[0]
        box.locator(f"button[data-move='{move}']").click()
    return box


def test_perfect_play_from_the_winning_seat_beats_uniform_play(reader: Reader, flip: GameGraph) -> None:
    box = play(reader, flip, "uniform", "you", perfectly=True)
    outcome = box.locator(".outcome").inner_text()
    assert outcome.startswith("You win: uniform said ")
    assert outcome.endswith(make_rulebook(GAME).endings[-3].format(target=50) + ".")
    assert "your" not in box.locator(".review").inner_text()
    assert "You had the winning seat." in box.inner_text()


def test_nobody_wins_from_a_lost_seat_against_optimal_play(reader: Reader, flip: GameGraph) -> None:
    for perfectly in (True, False):
        box = play(reader, flip, "optimal", "the opponent", perfectly=perfectly)
        assert box.locator(".outcome").inner_text().startswith("You lose: you said ")
        assert "Your seat was lost from the start. Nobody threw anything away." in box.inner_text()


def test_the_review_names_the_move_that_threw_the_game_away(reader: Reader, flip: GameGraph) -> None:
    box = play(reader, flip, "optimal", "you", perfectly=False)
    opening = flip.moves[solve(flip).keeps[0]].tolist()
    lines = box.locator(".review li").all_inner_texts()
    assert lines == [f"Move 1, your 1 at {flip.words(0)}, threw the win away: {opening[0]} would have kept it."]
    box.get_by_role("button", name="take back").click()
    assert box.locator(".outcome").count() == 0
    assert box.locator(".moves-row button").count() > 0


def test_hints_tell_what_each_move_is_worth(reader: Reader, flip: GameGraph) -> None:
    solution = solve(flip)
    box = reader.tab.locator("[data-game='0'] [data-play]")
    assert "wins in" not in box.locator(".moves-row").inner_text()
    box.get_by_label("hints").check()
    for action, text in enumerate(box.locator(".moves-row button").all_inner_texts()):
        after = int(flip.next_state[0, action])
        words = {1: "wins", -1: "loses"}[-int(solution.value[after])]
        assert text.split("\n") == [str(flip.moves[action]), f"{words} in {solution.remoteness[after] + 1}"]


def test_play_can_start_at_a_position_of_the_map(reader: Reader, flip: GameGraph) -> None:
    reader.tab.hover("[data-game='0'] button[data-state='200']")
    reader.tab.get_by_role("button", name="play from here").click()
    assert reader.tab.inner_text("[data-game='0'] [data-play] .table") == flip.words(200)


def test_the_numbers_on_the_page_are_those_of_the_document_and_of_the_solver(
    reader: Reader, document: dict[str, Any], flip: GameGraph
) -> None:
    game = document["games"][0]
    assert json.loads(reader.tab.inner_text("#report")) == document
    rows = reader.tab.eval_on_selector_all(
        "[data-game='0'] table.every tbody tr", "all => all.map(r => [...r.children].map(c => c.textContent.trim()))"
    )
    assert len(rows) == len(game["players"])
    for row, player in zip(rows, game["players"], strict=True):
        table = [player["policy"]["rows"][number] for number in player["policy"]["row"]]
        card = scorecard(flip, Policy(flip, table))
        assert row[0] == player["name"]
        assert row[1:5] == [
            str(card.blunders),
            str(card.critical_states),
            exact(card.accuracy),
            exact(card.exploitability),
        ]
        assert row[5:7] == [signed(card.guaranteed_first), signed(card.guaranteed_second)]
        assert row[8] == percent(beats(card))
        assert row[10:12] == [count(player["card"][key]) for key in ("steps", "steps_to_perfect")]
        assert row[14].split() == [
            {True: "★", False: "○"}[card.perfect],
            {True: "perfect", False: "exploitable"}[card.perfect],
        ]
    cross = reader.tab.eval_on_selector_all(
        "[data-game='0'] table.cross tbody tr",
        "all => all.map(r => [...r.querySelectorAll('td')].map(c => c.textContent.trim()))",
    )
    assert cross == [[hundredths(result["win"]) for result in row] for row in game["crossplay"]["results"]]


def test_dark_mode_follows_the_system_and_the_button(chromium: Any, file: Path) -> None:
    def brightness(reader: Reader) -> float:
        colours = reader.tab.evaluate("['background-color', 'color'].map(k => getComputedStyle(document.body)[k])")
        paper, ink = (sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in colours)
        assert abs(paper - ink) > 150  # readable
        return paper

    light, dark = (Reader(chromium, file, color_scheme=scheme) for scheme in ("light", "dark"))
    assert brightness(light) > 200 > 60 > brightness(dark)
    for _ in range(2):
        light.tab.click("#theme")
    assert brightness(light) < 60
    for reader in (light, dark):
        assert reader.complaints == []
        reader.close()


def test_a_phone_needs_no_sideways_scroll(chromium: Any, file: Path, tmp_path: Path) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    for number, place in enumerate((file, written(baselines(), tmp_path))):
        reader = Reader(chromium, place, **phone)
        for tab in range(5 if number else 1):
            reader.tab.click(f"nav.tabs a >> nth={tab}")
            reader.tab.tap(f"[data-game='{tab}'] button[data-state='0']")
            for details in reader.tab.locator("details:visible").all():
                details.evaluate("d => { d.open = true; }")
            wide = reader.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide == [390, 390]
        assert reader.complaints == []
        reader.close()


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{7*7}}\u2028"


def test_a_hostile_name_stays_text_wherever_it_comes_from(chromium: Any, tmp_path: Path) -> None:
    place = trained(tmp_path, "fifty-wins", steps=300)
    hostile = place.with_name(HOSTILE.replace("/", "⁄"))
    place.rename(hostile)
    card = json.loads((hostile / "scorecard.json").read_text())
    (hostile / "scorecard.json").write_text(json.dumps(card | {"agent": HOSTILE}))
    (hostile / "exam.json").write_text(json.dumps({"asked": HOSTILE, "judged": HOSTILE, "interval": {"low": HOSTILE}}))
    (hostile / "provenance.json").write_text(json.dumps({HOSTILE: HOSTILE, "seconds": HOSTILE}))
    (hostile / "settings.toml").write_text(f"env = {json.dumps(HOSTILE)}\nsettings = {json.dumps(HOSTILE)}\n")
    policy = tmp_path / f"{HOSTILE.replace('/', '⁄')}.npz"
    policy.write_bytes((hostile / "policy.npz").read_bytes())
    report = replace(report_on(entries(hostile, policy), left_out=[HOSTILE]), command=HOSTILE)
    reader = Reader(chromium, written(report, tmp_path / "page"))
    for details in reader.tab.locator("details").all():
        details.evaluate("d => { d.open = true; }")
    reader.tab.wait_for_timeout(100)
    assert reader.complaints == []
    assert reader.tab.evaluate("document.scripts.length") == 2
    assert reader.tab.evaluate("document.images.length") == 0
    assert HOSTILE.replace("\u2028", "\ufffd") == reader.tab.inner_text("[data-game='0'] .verdict tbody th >> nth=0")
    assert "{{7*7}}" in reader.tab.inner_text("#provenance")
    reader.close()


def test_even_a_script_that_got_into_the_page_would_not_run(chromium: Any, whole: Report, tmp_path: Path) -> None:
    broken = render(whole).replace("<main>", "<main><script>document.title = 'owned'</script>")
    (tmp_path / "index.html").write_text(broken, encoding="utf-8")
    reader = Reader(chromium, tmp_path / "index.html")
    assert reader.tab.title() == "Perfect Play: report"
    assert any("Content Security Policy" in line for line in reader.complaints)
    reader.context.close()


def test_recorded_games_and_exams_are_told(chromium: Any, tmp_path: Path) -> None:
    from arena.transcript import Recording, annotate

    place = trained(tmp_path, GAME, steps=300)
    (place / "exam.json").write_text(
        json.dumps({"asked": 10, "legal": 7, "illegal": 2, "unparsable": 1, "late": 0, "positions": 8})
    )
    runs = entries(place)
    moves = (8, 7, 9, 8, 7, 6, 5)
    annotation = annotate(Recording(GAME, make_rulebook(GAME).parameters, moves, ("<i>ann</i>", "bob")))
    report = report_on(runs, played=[(runs[0].policy.graph, annotation)])
    reader = Reader(chromium, written(report, tmp_path / "page"))
    rows = reader.tab.eval_on_selector_all(
        "table.recorded tbody tr", "all => all.map(r => [...r.children].map(c => c.textContent))"
    )
    accounts = annotation.accounts
    for row, account, won in zip(rows, accounts, ("0", "1"), strict=True):
        assert row == [
            account.player,
            "1",
            won,
            *map(str, (account.moves, account.critical, account.blunders, account.regret)),
            "0",
        ]
    reader.tab.click("details.record summary")
    assert reader.tab.locator("ol.record li").count() == len(moves)
    assert reader.tab.locator("ol.record .exploitable").count() == sum(move.blunder for move in annotation.moves) > 0
    counts = reader.tab.locator("table.exam tbody td").all_inner_texts()
    assert counts == ["10", "7", "2", "1", "0", "–", "–", "–"]
    reader.close()


def test_the_page_reads_without_scripts(chromium: Any, file: Path, document: dict[str, Any]) -> None:
    reader = Reader(chromium, file, java_script_enabled=False)
    text = reader.tab.inner_text("body")
    assert document["games"][0]["headline"] in text
    assert "need no script" in text
    reader.close()


def test_runs_of_two_settings_are_told_apart(tmp_path: Path) -> None:
    runs = entries(trained(tmp_path, GAME, steps=300), trained(tmp_path, GAME, steps=400))
    runs.append(replace(runs[0], card=replace(runs[0].card, seed=None)))
    names = [player.name for player in report_on(runs).games[0].players]
    assert len(names) == len(set(names))


def test_the_pictures_in_the_docs_are_made_by_the_command_and_small(chromium: Any, file: Path, tmp_path: Path) -> None:
    from docs.make.screenshots import PICTURES, take

    for picture in take(chromium, file, tmp_path):
        stored = Path(__file__).parents[2] / "docs" / picture.name
        for png in (picture, stored):
            content = png.read_bytes()
            width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
            assert content.startswith(b"\x89PNG")
            assert len(content) < 250_000
            viewport = PICTURES[picture.stem][0]["viewport"]
            assert (width, height) == (viewport["width"], viewport["height"])


def test_every_relative_of_every_game_has_a_page_that_opens(chromium: Any, relative: RuleBook, tmp_path: Path) -> None:
    """Positions without a move, a single position, no critical one: the page takes them as they come."""
    document = report([compile_rulebook(relative)], [], command="python evaluate.py")
    reader = Reader(chromium, written(document, tmp_path))
    assert len(reader.cells()) == document.games[0].states
    assert reader.tab.inner_text("[data-game='0'] [data-play] .table") != ""
    reader.close()


def test_a_position_is_a_link_that_opens_it(chromium: Any, file: Path, flip: GameGraph) -> None:
    reader = Reader(chromium, file)
    state = flip.state((8, 7))
    reader.tab.hover(f"[data-game='0'] button[data-state='{state}']")
    link = reader.tab.locator("[data-game='0'] .detail a").get_attribute("href")
    assert link == f"#{GAME}/8,7"
    reader.tab.goto(f"{file.as_uri()}{link}")
    reader.tab.reload()
    assert reader.tab.inner_text("[data-game='0'] .detail h4") == flip.words(state)
    cell = reader.tab.locator(f"[data-game='0'] button[data-state='{state}']")
    assert cell.get_attribute("data-chosen") is not None
    box = cell.bounding_box()
    assert box is not None
    assert 0 < box["y"] < 900
    reader.tab.goto(f"{file.as_uri()}#{GAME}/0,9")  # not a position, nor %: the page opens all the same
    reader.tab.goto(f"{file.as_uri()}#{GAME}/%")
    reader.tab.reload()
    assert reader.tab.locator("article.game:visible").count() == 1
    reader.close()


def test_a_game_is_a_link_by_its_name(chromium: Any, tmp_path: Path) -> None:
    place = written(baselines(), tmp_path)
    reader = Reader(chromium, place)
    for game in baselines().games:
        reader.tab.goto(f"{place.as_uri()}#{game.id}")
        reader.tab.reload()
        assert reader.tab.inner_text("article.game:visible h2") == game.title
    reader.close()


def test_a_policy_that_mixes_its_moves_blunders_with_a_probability(chromium: Any, tmp_path: Path) -> None:
    reader = Reader(chromium, written(baselines(), tmp_path), viewport={"width": 1280, "height": 900})
    number = [game.game for game in baselines().games].index(GAME)
    reader.tab.click(f"nav.tabs a >> nth={number}")
    part = f"[data-game='{number}'] [data-map]"
    reader.tab.select_option(f"{part} select >> nth=0", label="uniform")
    label = reader.tab.locator(f"{part} button[data-state='0']").get_attribute("aria-label")
    assert label == "total 0, last 0: plays 1 with probability 10.0%, blunders with probability 90.0%"
    reader.tab.hover(f"{part} button[data-state='0']")
    assert "It blunders here with probability 90.0%." in reader.tab.inner_text(f"{part} .detail")
    reader.close()


def test_a_single_run_has_curves_and_no_statistics_over_runs(chromium: Any, tmp_path: Path) -> None:
    one = report_on(entries(trained(tmp_path, GAME, steps=500)))
    reader = Reader(chromium, written(one, tmp_path / "page"))
    titles = reader.tab.locator("[data-game='0'] figure.chart figcaption b").all_inner_texts()
    assert titles == ["Blunders", "Exploitability"]
    assert "median" not in reader.tab.inner_text("[data-game='0'] [aria-labelledby*=curves]")
    reader.close()


def test_what_reaches_beyond_the_screen_says_so_and_the_legend_does_not(chromium: Any, file: Path) -> None:
    reader = Reader(chromium, file, viewport={"width": 390, "height": 844})
    for key in reader.tab.locator(".key").all():
        box = key.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    wide = reader.tab.locator("[data-game='0'] .scroll").first
    assert wide.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "gradient" in wide.evaluate("e => getComputedStyle(e).backgroundImage")
    reader.close()


def test_landmarks_have_names_of_their_own(chromium: Any, tmp_path: Path) -> None:
    reader = Reader(chromium, written(baselines(), tmp_path))
    names = reader.tab.evaluate(
        """[...document.querySelectorAll("section, nav, [role=region]")].map(e => e.getAttribute("aria-label")
        ?? e.getAttribute("aria-labelledby").split(" ").map(id => document.getElementById(id).textContent).join(" "))"""
    )
    assert len(names) == len(set(names)) > 20
    reader.close()
