// The policy map: a cell for every position, laid out by report/layout.py; a slider over the evaluations of a run.

const KINDS = {
  policy: { keeps: "keeps the value", blunder: "blunders", unasked: "not asked", nothing: "nothing to decide" },
  values: { won: "won for the mover", held: "held by both", lost: "lost for the mover" },
};

/** Returns what opens a position that an address names. */
function drawMap(box, game, playFrom, anchor) {
  const { select, field } = playerSelect(game, "policy", game.groups.length ? 0 : mostInstructive(game));
  const view = el("select", {}, option("the policy", "policy"), option("values of the game", "values"));
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "evaluation of the run" });
  const run = el("button", { type: "button", className: "quiet" }, "▶ watch it learn");
  const output = el("output", { className: "at" });
  const time = el("div", { className: "time" }, run, slider, output);
  const legend = el("p", { className: "legend" });
  const panels = el("div", { className: "panels" });
  const detail = el("div", { className: "detail", "aria-live": "polite" }, "Point at a position to see what every move is worth.");
  box.append(el("div", { className: "controls" }, field, el("label", { className: "field" }, "show", view)), time, legend, panels, detail);

  const cells = new Map();
  let chosen = null;
  let timer = null;
  const player = () => game.everyone[select.value];
  const last = () => (player().snapshots ? player().snapshots.steps.length - 1 : 0);
  const at = () => (player().snapshots && Number(slider.value) < last() ? Number(slider.value) : null);

  for (const panel of game.map) panels.append(drawPanel(panel, cells));

  function update() {
    const values = view.value === "values";
    const counts = {};
    for (const [state, cell] of cells) {
      const row = rowOf(player(), state, at());
      const moves = row.some((p) => p > 0);
      const kind = values ? { 1: "won", 0: "held", [-1]: "lost" }[game.value[state]] : game.verdict(state, row, player());
      counts[kind] = (counts[kind] ?? 0) + 1;
      cell.className = `cell ${kind}`;
      const name = moves ? game.nameOf(game.moves[likeliest(row)]) : "";
      const short = name.length > 3 ? String(game.moves[likeliest(row)]) : name;
      cell.textContent = values ? { 1: "+", 0: "0", [-1]: "−" }[game.value[state]] : kind === "unasked" ? "?" : short;
      cell.setAttribute("aria-label", `${game.words(state)}: ${values ? KINDS.values[kind] : inWords(state, row, kind, name)}`);
    }
    const shown = Object.entries(KINDS[view.value]).filter(([kind]) => kind !== "unasked" || player().inPart);
    legend.replaceChildren(...shown.map(([kind, words]) =>
      el("span", {}, el("i", { className: `cell ${kind}`, "aria-hidden": "true" }), `${words} (${number(counts[kind] ?? 0)})`)));
    describeTime();
    if (chosen !== null) describe(chosen);
  }

  /** What the player does in a position; one that mixes its moves blunders with a probability. */
  function inWords(state, row, kind, name) {
    if (kind === "unasked") return KINDS.policy.unasked;
    const [most, wrong] = [row[likeliest(row)], game.blundering(state, row)];
    const plays = name === "" ? "plays nothing" : most < 1 ? `plays ${name} with probability ${percent(most)}` : `plays ${name}`;
    return `${plays}, ${kind === "blunder" && wrong < 1 ? `blunders with probability ${percent(wrong)}` : KINDS.policy[kind]}`;
  }

  function describeTime() {
    time.hidden = !player().snapshots || view.value === "values";
    if (!player().snapshots) return;
    const { steps, evaluations } = player().snapshots;
    const step = steps[slider.value];
    const row = player().curve ? player().curve.steps.indexOf(step) : -1;
    const numbers = row < 0 ? "" : `: ${number(player().curve.blunders[row])} blunders, exploitability ${exact(player().curve.exploitability[row])}`;
    const thinned = steps.length < evaluations ? ` (${steps.length} of ${evaluations} evaluations are kept on this page)` : "";
    output.textContent = `step ${number(step)}${numbers}${thinned}`;
  }

  function describe(state) {
    chosen = state;
    for (const [other, cell] of cells) cell.toggleAttribute("data-chosen", other === state);
    const row = rowOf(player(), state, at());
    const unasked = game.verdict(state, row, player()) === "unasked";
    const wrong = game.blundering(state, row);
    const mixed = !unasked && game.critical(state) && wrong > 0 && wrong < 1 ? ` It blunders here with probability ${percent(wrong)}.` : "";
    const rows = game.ranked(state).map((m) => el("tr", { className: m.keeps ? "keeps" : "blunder" },
      el("th", { scope: "row" }, m.name),
      el("td", {}, m.keeps ? "✓ keeps" : "✗ blunder"),
      el("td", {}, worth(m.value)),
      el("td", { className: "right" }, m.plies ? String(m.plies) : "–"),
      el("td", { className: "right" }, unasked ? "–" : percent(row[m.action]))));
    const head = ["move", "verdict", "value", "plies", "policy"].map((text) => el("th", { scope: "col" }, text));
    const value = { 1: "won for the mover", 0: "neither side can force a win", [-1]: "lost for the mover" }[game.value[state]];
    const far = game.value[state] ? `, in ${game.remoteness[state]} ${game.remoteness[state] === 1 ? "ply" : "plies"}` : "";
    detail.classList.add("told");
    detail.replaceChildren(
      el("h4", {}, game.words(state)),
      el("p", {}, `${value}${far}. Policy: ${player().name}${at() === null ? "" : ` at step ${number(player().snapshots.steps[at()])}`}${unasked ? ", not asked here" : ""}.${mixed}`),
      rows.length ? el("table", { className: "moves" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)) : el("p", {}, "No legal move."),
      el("p", { className: "controls" },
        el("button", { type: "button", className: "quiet", onclick: () => playFrom(state) }, "play from here"),
        el("a", { href: `#${anchor}/${game.positions[state].join(",")}` }, "link to this position")));
  }

  function open(position) {
    const state = game.positions.findIndex((fields) => fields.join(",") === position);
    if (state < 0) return;
    describe(state);
    const cell = cells.get(state);
    for (const other of cells.values()) other.tabIndex = other === cell ? 0 : -1;
    cell.scrollIntoView({ block: "center" });
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    run.textContent = "▶ watch it learn";
  }

  run.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (Number(slider.value) >= last()) slider.value = 0;
    run.textContent = "❚❚ stop";
    timer = setInterval(() => {
      slider.value = Number(slider.value) + 1;
      update();
      if (Number(slider.value) >= last()) stop();
    }, 120);
    update();
  });
  slider.addEventListener("input", () => { stop(); update(); });
  view.addEventListener("change", update);
  select.addEventListener("change", () => { stop(); slider.max = last(); slider.value = last(); update(); });
  panels.addEventListener("pointerover", (event) => look(event.target));
  panels.addEventListener("focusin", (event) => look(event.target));
  panels.addEventListener("click", (event) => look(event.target));
  panels.addEventListener("keydown", (event) => walk(event, cells));

  function look(target) {
    const cell = target.closest("button.cell");
    if (cell && Number(cell.dataset.state) !== chosen) describe(Number(cell.dataset.state));
  }

  slider.max = last();
  slider.value = last();
  cells.get(0).tabIndex = 0;
  update();
  return open;
}

/** A grid of cells with its two axes; on a narrow screen the style sheet swaps them. */
function drawPanel(panel, cells) {
  const { across, down } = panel;
  const grid = el("div", { className: "cells", role: "group", "aria-label": panel.title || across.field || down.field,
    style: `--columns:${across.labels.length};--rows:${down.labels.length}` });
  const place = (x, y) => `--x:${x + 2};--y:${y + 2}`;
  grid.append(el("span", { className: "corner", style: place(-1, -1) }));
  across.labels.forEach((label, x) => grid.append(el("span", { className: "label", style: place(x, -1) }, String(label))));
  down.labels.forEach((label, y) => grid.append(el("span", { className: "label", style: place(-1, y) }, String(label))));
  for (const [state, x, y] of panel.cells) {
    const cell = el("button", { type: "button", tabIndex: -1, style: place(x, y), "data-state": state });
    cells.set(state, cell);
    grid.append(cell);
  }
  const arrow = (field, sign) => (field ? `${field} ${sign}` : "");
  const wide = [arrow(down.field, "↓"), arrow(across.field, "→")].filter(Boolean).join("  ");
  const tall = [arrow(across.field, "↓"), arrow(down.field, "→")].filter(Boolean).join("  ");
  const long = across.labels.length > 20 ? "panel long" : "panel";
  return el("div", { className: long },
    el("p", { className: "axes" }, panel.title ? el("b", {}, panel.title) : "", el("span", { className: "wide" }, wide), el("span", { className: "tall" }, tall)), grid);
}

/** Arrow keys go to the nearest cell on the screen in that direction, so they work however the map is laid out. */
function walk(event, cells) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const here = event.target.closest("button.cell");
  if (!step || !here) return;
  event.preventDefault();
  const from = here.getBoundingClientRect();
  let best = null;
  let least = Infinity;
  for (const cell of cells.values()) {
    const to = cell.getBoundingClientRect();
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const ahead = dx * step[0] + dy * step[1];
    const aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
    const cost = ahead + 3 * aside;
    if (ahead > 1 && cost < least) [best, least] = [cell, cost];
  }
  if (!best) return;
  here.tabIndex = -1;
  best.tabIndex = 0;
  best.focus();
}
