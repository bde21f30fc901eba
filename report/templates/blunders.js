// The blunders of a player, each with its refutation; "try it yourself" hides the answers until a move is tried.

const SHOWN = 8;

function drawBlunders(box, game) {
  const { select, field } = playerSelect(game, "player", mostInstructive(game));
  const hide = el("input", { type: "checkbox" });
  const note = el("p", { className: "note" });
  const list = el("ol", { className: "blunders" });
  const more = el("button", { type: "button", className: "quiet" }, "show all");
  box.append(el("div", { className: "controls" }, field, el("label", { className: "field check" }, hide, "try it yourself")), note, list, more);
  let all = false;

  function update() {
    const player = game.everyone[select.value];
    const listed = player.blunders;
    const { blunders, critical_states: critical } = player.card ?? { blunders: player.blundered, critical_states: player.positions };
    const which = listed.length < blunders ? `; the ${listed.length} met most often are listed` : "";
    if (player.inPart) note.textContent = `${player.name} blunders at ${number(blunders)} of the ${number(critical)} critical positions that it was asked; ${number(player.not_asked)} were not asked.`;
    else note.textContent = blunders
      ? `${player.name} blunders at ${number(blunders)} of ${number(critical)} critical positions. Those it meets most often in games against uniform play come first${which}.`
      : `${player.name} makes no blunder at any of the ${number(critical)} critical positions: there is nothing to refute.`;
    const shown = all ? listed : listed.slice(0, SHOWN);
    list.replaceChildren(...shown.map((blunder) => drawBlunder(game, player, blunder, hide.checked)));
    more.hidden = shown.length === listed.length;
  }
  more.addEventListener("click", () => { all = true; update(); });
  hide.addEventListener("change", update);
  select.addEventListener("change", () => { all = false; update(); });
  update();
}

/** The first learned player that blunders, else the baseline with the fewest blunders, else one that plays well. */
function mostInstructive(game) {
  if (game.asked_in_part.length && !game.groups.length) return game.players.length;
  const blunderers = game.players.map((player, k) => ({ k, player })).filter((p) => p.player.card.blunders && p.player.name !== "uniform");
  const fewest = blunderers.filter((p) => p.player.group === null).sort((a, b) => a.player.card.blunders - b.player.card.blunders)[0];
  const other = game.players.findIndex((player) => player.name !== "uniform");
  return blunderers.find((p) => p.player.group !== null)?.k ?? fewest?.k ?? Math.max(other, 0);
}

function drawBlunder(game, player, blunder, hidden) {
  const aim = { 1: "win", 0: "hold", [-1]: "hold out" }[blunder.value];
  const often = blunder.met === null ? "" : ` · met ${blunder.met.toPrecision(2)} times a game`;
  const item = el("li", {}, el("p", {}, el("b", {}, game.words(blunder.state)), el("span", { className: "dim" }, often)));
  const answer = () => {
    const sure = blunder.probability < 1 ? ` with probability ${percent(blunder.move_probability)}` : "";
    const any = blunder.probability > blunder.move_probability ? ` (some blunder: ${percent(blunder.probability)})` : "";
    const [reply, ...rest] = blunder.line;
    const line = reply === undefined
      ? el("p", {}, "That ends the game at once.")
      : el("p", {}, "Refuted by ", el("b", {}, game.nameOf(reply)), rest.length ? `, and then ${game.lineOf(rest)}` : "", blunder.endless ? " … for ever." : ".");
    return [
      el("p", {}, `${player.name} plays `, el("b", { className: "bad" }, `✗ ${game.nameOf(blunder.move)}`), `${sure}${any}, which ${worth(blunder.after)}; `,
        el("b", { className: "good" }, `✓ ${game.lineOf(blunder.keeps)}`), ` ${blunder.keeps.length === 1 ? "keeps" : "keep"} the ${aim === "win" ? "win" : "value"}.`),
      line,
    ];
  };
  if (!hidden) {
    item.append(...answer());
    return item;
  }
  const feedback = el("div", { "aria-live": "polite" });
  const tries = game.ranked(blunder.state).sort((a, b) => a.action - b.action).map((m) =>
    el("button", { type: "button", className: "move", onclick: (event) => {
      event.target.classList.add(m.keeps ? "keeps" : "blunder");
      const verdict = m.keeps ? `✓ ${m.name} keeps it.` : `✗ ${m.name} throws it away.`;
      feedback.replaceChildren(el("p", {}, verdict), ...answer());
    } }, m.name));
  item.append(el("p", {}, `Which move ${aim === "win" ? "wins" : "holds"}? `, ...tries), feedback);
  return item;
}
