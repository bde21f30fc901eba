"""The page inside a notebook is the page that evaluate.py writes."""

from __future__ import annotations

import html
import re

import pytest

from games import Mistake, Policy, compile_rulebook, make_rulebook
from report.inline import inline
from training import Run, resolve, train

GAME = "avoid-the-seventh"


def test_runs_trainings_and_policies_are_on_one_page(tmp_path: object) -> None:
    settings = resolve(env=GAME, agent="value-iteration", changes={"steps": 300})
    run = Run(settings.path(tmp_path))  # type: ignore[arg-type]
    training = train(settings, run)
    shown = inline(run.path, training, Policy.uniform(compile_rulebook(make_rulebook(GAME))), height=321)
    frame = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" title="Perfect Play" width="100%" height="321"></iframe>', shown._repr_html_()
    )
    assert frame
    document = html.unescape(frame[1])
    assert document == shown.html
    for name in ("value-iteration", "value-iteration-2", "policy-3"):
        assert name in document
    assert len(repr(shown)) < 100


def test_what_has_no_page_is_refused() -> None:
    with pytest.raises(Mistake, match="a dict has no page"):
        inline({})  # type: ignore[arg-type]
