"""A position as a picture: what lies on the table, the moves so far, and a box for every move that there is."""

from __future__ import annotations

from base.canvas import (  # fmt: skip
    BAD,
    BAD_SOFT,
    DIM,
    GOOD,
    GOOD_SOFT,
    INK,
    NONE_SOFT,
    PAPER,
    RULE,
    Box,
    Canvas,
    Frame,
    cut,
    length,
)
from envs.scene import Scene
from solver.facts import facts

WIDTH, HEIGHT = 640, 400
MARGIN, TOP, NOTE = 20, 236, 22  # of the boxes, and the line below them
MOST = 120  # boxes; of a game with more moves, as many of the legal ones are drawn
GAP = 6
FAINT, STRIKE = "#b4b8bd", "#e9a77c"


def picture(scene: Scene, *, values: bool) -> Frame:
    """[400, 640, 3]. With `values`, a box is blue where its move keeps the value, orange and struck out where not."""
    canvas, right, book = Canvas(WIDTH, HEIGHT), WIDTH - MARGIN, scene.core.book
    canvas.text(MARGIN, 16, cut(book.title, 20, right - MARGIN - 140), 20, DIM)
    canvas.text(right, 16, f"ply {len(scene.moves)}", 20, DIM, "ra")
    canvas.line([(MARGIN, 46), (right, 46)], RULE, 1)
    canvas.fitted((MARGIN, 58, right, 150), book.table(scene.moves), 30)
    canvas.text(MARGIN, 158, _latest(scene, right - MARGIN), 15, DIM)
    won = scene.end is not None and scene.end.winner is not None
    canvas.fitted((MARGIN, 182, right, 226), scene.turn, 18, GOOD if won else INK)
    canvas.text(MARGIN, HEIGHT - 28, _boxes(canvas, scene, values), 14, DIM)
    return canvas.frame()


def _latest(scene: Scene, width: float) -> str:
    """The last of the moves so far, as many as fit into a line."""
    for first in range(max(len(scene.moves) - 100, 0), len(scene.moves)):
        text = f"moves so far: {'... ' if first else ''}{scene.core.book.line(scene.moves[first:])}"
        if length(text, 15) <= width:
            return text
    return f"moves so far: {'...' if scene.moves else 'none'}"


def _boxes(canvas: Canvas, scene: Scene, values: bool) -> str:
    """Draw them; what there is to say about their colours and their number."""
    graph, state, over = scene.core.graph, scene.state, scene.end is not None
    legal = graph.legal[state]
    actions = list(range(graph.num_actions)) if graph.num_actions <= MOST else legal.nonzero()[0].tolist()[:MOST]
    solution = facts(graph).solution if values else None
    judged = solution is not None and not over and bool(solution.critical[state])
    for action, at in zip(actions, _places(len(actions)), strict=True):
        keeps = solution is not None and judged and bool(solution.keeps[state, action])
        fill, ink = PAPER, FAINT
        if legal[action] and not over:
            fill, ink = (NONE_SOFT, INK) if not judged else (GOOD_SOFT, GOOD) if keeps else (BAD_SOFT, BAD)
        canvas.box(at, fill, RULE if ink == FAINT else ink)
        if ink == BAD:
            canvas.line([(at[0] + 3, at[3] - 3), (at[2] - 3, at[1] + 3)], STRIKE, 2)
        _name(canvas, at, graph.name_of(action), ink)
    said = f"{len(actions)} of {int(legal.sum())} legal moves. " if len(actions) < legal.sum() else ""
    if not values or over:
        return said
    return said + ("blue keeps the value; orange, struck out, is a blunder" if judged else "nothing to decide here")


def _places(count: int) -> list[Box]:
    """So many boxes in rows, as large as the room allows, and rather wide than tall."""
    if not count:
        return []
    wide, high = WIDTH - 2 * MARGIN, HEIGHT - MARGIN - TOP - NOTE
    rows = next(n for n in range(1, count + 1) if wide / -(-count // n) >= 0.9 * high / n or n == count)
    columns = -(-count // rows)
    side, tall = wide / columns - GAP, min(high / rows - GAP, 64.0)
    corners = [(MARGIN + k % columns * (side + GAP), TOP + k // columns * (tall + GAP)) for k in range(count)]
    return [(left, top, left + side, top + tall) for left, top in corners]


def _name(canvas: Canvas, at: Box, name: str, ink: str) -> None:
    wide, high = at[2] - at[0] - 3, at[3] - at[1] - 2
    size = next((n for n in range(24, 5, -1) if n <= high and length(name, n) <= wide), None)
    if size is not None:
        canvas.text((at[0] + at[2]) / 2, (at[1] + at[3]) / 2, name, size, ink, "mm")
