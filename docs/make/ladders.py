"""The page of the ladders, docs/ladders.md, with its figures: every stored entry judged again, no number typed by hand.

python -m docs.make.ladders            from the entries in docs/measured/ladders
python -m docs.make.ladders --climb    after running what configs/entries/ours.toml lists; started again, it goes on
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.command import Parser, run, spelled
from base.files import write_folder
from base.mistake import Mistake
from report.comparison import improvement
from report.statistics import CONFIDENCE, interquartile_mean
from training.ladders.judge import Judged, Judgement, judge
from training.ladders.ladder import SCORES, Ladder, ladder_names, read_ladder
from training.ladders.listed import Listed, read_listed
from training.ladders.members import horizon

DOCS = Path(__file__).parents[1]
ABOUT = """A ladder is a task with room above the best known learner. An entry is a set of runs with the policy of
each; this page judges every policy again, at every position of every member, with the certified solution, and believes
nothing that an entry claims but its plies and seconds. A number is exact for its policy; intervals are over seeds only.
Entries of ours stand first. `python ladder.py NAME --agent WHO` makes an entry, `python ladder.py check ENTRY` judges
one, `make ladders` makes all of ours and this page."""
MEMORISED = """A policy without a blunder at positions that its learner has met is *memorised, exactly*: it says nothing
about positions that it has not met, and is not called generalisation here."""


@dataclass(frozen=True)
class Shown:
    """An entry as the page shows it."""

    name: str
    about: str
    judgement: Judgement

    def members(self) -> dict[tuple[Any, ...], list[Judged]]:
        """The runs by the game that they played."""
        found: dict[tuple[Any, ...], list[Judged]] = {}
        for each in self.judgement.runs:
            found.setdefault((each.claim.env, *sorted(each.claim.parameters.items())), []).append(each)
        return found

    def measures(self) -> dict[tuple[Any, ...], list[float]]:
        """Of each member, what is compared, run by run."""
        return {member: [self.judgement.measure(each) for each in runs] for member, runs in self.members().items()}


def entries_of(ladder: str, folder: Path, listed: Sequence[Listed]) -> list[Shown]:
    """The stored entries of a ladder: ours in their order, then those of others by name."""
    about = {one.name: one.about for one in listed if one.ladder == ladder}
    there = sorted(path.name for path in (folder / ladder).glob("*") if (path / "entry.json").is_file())
    names = [name for name in about if name in there] + [name for name in there if name not in about]
    return [Shown(name, about.get(name, ""), judge(folder / ladder / name)) for name in names]


def page(ladders: Sequence[Ladder], shown: Sequence[Sequence[Shown]], listed: Sequence[Listed]) -> Iterator[str]:
    """The lines of the page."""
    yield "# Ladders\n"
    yield _text(ABOUT)
    yield ""
    yield _text(MEMORISED)
    for ladder, entries in zip(ladders, shown, strict=True):
        yield f"\n## {ladder.title}\n"
        yield _text(ladder.question)
        yield ""
        yield _text(f"- score: {SCORES[ladder.score]}", "  ")
        yield _text(f"- may be known: {ladder.may_know}", "  ")
        yield _text(f"- budget: {ladder.budget:,} steps a run; seeds {_spoken(ladder.seeds)}")
        yield _text(f"- tuned on: {ladder.tuning}", "  ")
        ours = {one.name for one in listed if one.ladder == ladder.name}
        if missing := [name for name in ours if name not in {each.name for each in entries}]:
            yield _text(f"- not measured yet: {', '.join(sorted(missing))}")
        if entries:
            yield from _scores(ladder, entries)
            yield f"\n![{ladder.title}](measured/figures/ladder_{ladder.name}.svg)"
            yield from _statistics(ladder, entries)
            yield from _reached(entries)
            yield from _origins(entries)


def _scores(ladder: Ladder, entries: Sequence[Shown]) -> Iterator[str]:
    columns = list(dict.fromkeys(member for each in entries for member in each.members()))
    yield ""
    yield _text(
        "Of each member: the seeds without a blunder, and, where that is not all of them, the share of critical "
        "positions with a blunder left, median and worst seed. A member that was not tried is left empty."
    )
    if ladder.judged is not None:
        yield _text(
            f"What is judged is every member with a {ladder.size} of {ladder.judged}, which no entry has played. A "
            "seed's horizon is the largest of them up to which it has no blunder on any; 0 where the first has one."
        )
    yield from _head("entry", "score", *(_spelled(member, columns) for member in columns), "plies", "CPU s", "network")
    for each in entries:
        members = each.members()
        cells = [_cell(members.get(member)) for member in columns]
        yield _line([each.name, _score(each, ladder), *cells, *_costs(each.judgement.runs)])
    if ladder.judged is not None:
        yield ""
        for each in entries:
            reached = ", ".join(str(horizon(run.curve) or 0) for run in each.judgement.runs)
            yield f"- horizons of {each.name}, seed by seed: {reached}"
    yield ""
    for each in entries:
        changed = {key: value for key, value in each.judgement.entry.settings.items() if key != "agent"}
        told = each.about or f"By {each.judgement.entry.settings.get('agent', 'somebody')}."
        yield _text(f"- **{each.name}**: {told} {_settings(changed)}", "  ")
        for fault in each.judgement.faults:
            yield _text(f"  - *not as claimed*: {fault}", "    ")


def _statistics(ladder: Ladder, entries: Sequence[Shown]) -> Iterator[str]:
    what, form = ("plies by the limit", "{:.2f}") if ladder.score == "plies" else ("share of blunders", "{:.2%}")
    yield ""
    yield _text(
        f"Over all runs of an entry: the interquartile mean of the {what}, with a stratified bootstrap interval of "
        f"{CONFIDENCE:.0%} over seeds; and how likely a run of the row has less of it than one of the column on the "
        "same member, ties half."
    )
    yield from _head("entry", "runs", "without a blunder", what, *(each.name for each in entries))
    for one in entries:
        ours = one.measures()
        mean = interquartile_mean(list(ours.values()))
        clean = sum(each.blunders == 0 for each in one.judgement.runs)
        cells = [one.name, len(one.judgement.runs), clean, _interval(mean.iqm, mean.low, mean.high, form)]
        for other in entries:
            theirs = other.measures()
            both = [member for member in ours if member in theirs]
            if other is one or not both:
                cells.append("")
                continue
            ahead = improvement([ours[member] for member in both], [theirs[member] for member in both])
            cells.append(_interval(ahead.iqm, ahead.low, ahead.high, "{:.2f}"))
        yield _line(cells)


def _reached(entries: Sequence[Shown]) -> Iterator[str]:
    """Is the last mistake always where nobody goes? The probability is what an entry claims of its own play."""
    known = [each for each in entries if any(run.claim.left for run in each.judgement.runs)]
    if not known:
        return
    yield ""
    yield _text(
        "Of every blunder left: the exact probability that a game of the learner against itself, as it played in the "
        "end, comes to its position. It follows from the learner's own play, and is a claim."
    )
    yield from _head("entry", "blunders left", "least", "median", "largest", "below one in a million")
    for each in known:
        chances = sorted(chance for run in each.judgement.runs for _, chance in run.claim.left or ())
        rare = sum(chance < 1e-6 for chance in chances) / len(chances)
        numbers = [f"{number:.2g}" for number in (chances[0], statistics.median(chances), chances[-1])]
        yield _line([each.name, len(chances), *numbers, f"{rare:.0%}"])


def _origins(entries: Sequence[Shown]) -> Iterator[str]:
    yield ""
    for each in entries:
        code = each.judgement.entry.code
        changed = ", changed since" if code.get("changed_since_commit") else ""
        place = f"measured/ladders/{each.judgement.ladder.name}/{each.name}"
        yield f"- [{each.name}]({place}/entry.json): commit `{str(code.get('commit'))[:12]}`{changed}"


def climb(listed: Sequence[Listed], runs: Path, folder: Path) -> None:
    """Run our entries and store them; what was run before is not run again."""
    for one in listed:
        words = one.words(str(runs))
        print(spelled("ladder", *words), flush=True)
        done = subprocess.run([sys.executable, DOCS.parent / "ladder.py", *words], check=False)
        entry = runs / one.ladder / one.name / "entry"
        if done.returncode or not (entry / "entry.json").is_file():
            raise Mistake(
                f"{spelled('ladder', *words)}: left with {done.returncode}; put right what it says, start again"
            )
        place = folder / one.ladder / one.name
        if place.exists():
            shutil.rmtree(place)
        shutil.copytree(entry, place)


def _cell(runs: Sequence[Judged] | None) -> str:
    if not runs:
        return ""
    clean = sum(each.blunders == 0 for each in runs)
    if clean == len(runs):
        return f"**{clean}/{len(runs)}**"
    shares = [each.share for each in runs]
    return f"{clean}/{len(runs)}, {statistics.median(shares):.1%}, {max(shares):.1%}"


def _costs(runs: Sequence[Judged]) -> Iterator[str]:
    """Of the largest member: plies, seconds and parameters, medians over seeds."""
    largest = [each for each in runs if each.pairs == max(one.pairs for one in runs)]
    yield f"{statistics.median(each.claim.steps for each in largest):,.0f}"
    seconds = [each.claim.cpu_seconds for each in largest if each.claim.cpu_seconds is not None]
    yield f"{statistics.median(seconds):,.1f}" if seconds else "?"
    sizes = {each.claim.parameters_of_network for each in largest}
    yield ", ".join("" if size is None else f"{size:,}" for size in sorted(sizes, key=lambda size: size or 0))


def _settings(changed: dict[str, Any]) -> str:
    told = ", ".join(f"{key}={value}" for key, value in changed.items())
    return f"`{told}`"


def _score(shown: Shown, ladder: Ladder) -> str:
    """With how many of the ladder's seeds, where some member was not run with all of them."""
    score, fewest = shown.judgement.score, min(map(len, shown.members().values()))
    if score is None:
        return "not reached"
    return f"{score:.4g}" + (f", {fewest} of {len(ladder.seeds)} seeds" if fewest < len(ladder.seeds) else "")


def _spelled(member: tuple[Any, ...], columns: Sequence[tuple[Any, ...]]) -> str:
    """What tells a member from the others of the ladder."""
    env, *given = member
    others = [rest for other, *rest in columns if other == env]
    told = ", ".join(f"{key} {value}" for key, value in given if not all((key, value) in rest for rest in others))
    alone = len({one for one, *_ in columns}) == 1
    return told if told and alone else f"{Path(env).stem} {told}".strip()


def _interval(center: float, low: float | None, high: float | None, form: str) -> str:
    between = "" if low is None or high is None else f" [{form.format(low)}, {form.format(high)}]"
    return form.format(center) + between


def _spoken(seeds: Sequence[int]) -> str:
    whole = list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]} to {seeds[-1]}" if whole and len(seeds) > 1 else ", ".join(map(str, seeds))


def _text(words: str, indent: str = "") -> str:
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(words.split()))  # code stays on a line
    return textwrap.fill(
        whole, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ).replace("\0", " ")  # fmt: skip


def _head(*names: str) -> Iterator[str]:
    yield ""
    yield _line(names)
    yield "|" + "---|" * len(names)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    arguments = Parser(
        prog="python -m docs.make.ladders", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    arguments.add_argument(
        "--climb", action="store_true", help="first run what configs/entries/ours.toml lists, and store it"
    )
    arguments.add_argument(
        "--runs", metavar="DIR", default="ladders", type=Path, help="where it is run (default: ladders)"
    )
    arguments.add_argument("--docs", metavar="DIR", default=DOCS, type=Path, help="where the page goes (default: docs)")
    args = arguments.parse_args()
    listed, folder = read_listed(), args.docs / "measured" / "ladders"
    if args.climb:
        climb(listed, args.runs, folder)
    from docs.make.ladder_figures import draw

    ladders = [read_ladder(name) for name in ladder_names()]
    shown = [entries_of(ladder.name, folder, listed) for ladder in ladders]
    for ladder, entries in zip(ladders, shown, strict=True):
        if entries:
            draw(ladder, [(each.name, each.judgement) for each in entries], args.docs / "measured" / "figures")
    write_folder(args.docs, {"ladders.md": "\n".join(page(ladders, shown, listed)) + "\n"}, "choose another folder")
    print(args.docs / "ladders.md")
    return 0


if __name__ == "__main__":
    run(main)
