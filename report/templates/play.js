// Play against any policy of the page, with hints and take-backs; the end is explained and the game reviewed.

function drawPlay(box, game) {
  const rival = game.players.findIndex((player) => player.name === "optimal" && player.kind === "baseline");
  const { select, field } = playerSelect(game, "against", rival, game.players);
  const seat = el("select", {}, option("you", "0"), option("the opponent", "1"));
  const hints = el("input", { type: "checkbox" });
  const anew = el("button", { type: "button" }, "new game");
  const back = el("button", { type: "button", className: "quiet" }, "take back");
  const stop = el("button", { type: "button", className: "quiet" }, "end and review");
  const table = el("p", { className: "table", "aria-live": "polite" });
  const moves = el("ol", { className: "said" });
  const buttons = el("div", { className: "moves-row", role: "group", "aria-label": "your moves" });
  const result = el("div", { className: "result", "aria-live": "polite" });
  box.append(
    el("div", { className: "controls" }, field, el("label", { className: "field" }, "who moves first", seat), el("label", { className: "field check" }, hints, "hints"), anew),
    table, buttons, moves, el("div", { className: "controls" }, back, stop), result);

  let start = 0;
  let plies = []; // { mine, state, action, move }
  let state = 0; // a state, or a verdict (< 0)
  let over = false;
  const rivalName = () => game.players[select.value].name;

  function begin(from = 0) {
    start = from;
    plies = [];
    state = start;
    over = false;
    if (seat.value === "1") answer();
    update();
  }

  function say(action, mine) {
    plies.push({ mine, state, action, move: game.moves[action] });
    state = game.next_state[state][action];
    over = state < 0 || !game.ranked(state).length;
  }

  function answer() {
    if (over || !game.ranked(state).length) { over = true; return; }
    const row = rowOf(game.players[select.value], state);
    let left = Math.random();
    let action = row.findLastIndex((p) => p > 0);
    for (let k = 0; k < row.length; k += 1) {
      left -= row[k];
      if (row[k] > 0 && left < 0) { action = k; break; }
    }
    say(action, false);
  }

  function takeBack() {
    while (plies.length) {
      const ply = plies.pop();
      state = ply.state;
      if (ply.mine) break;
    }
    over = false;
    if (!plies.length && seat.value === "1") answer(); // it was the opponent's opening that was taken back
    update();
  }

  function update() {
    const choices = over ? [] : game.ranked(state).sort((a, b) => a.action - b.action);
    table.textContent = state >= 0 ? game.words(state) : "The game is over.";
    buttons.replaceChildren(...choices.map((m) => {
      const hint = hints.checked ? `${worth(m.value)}${m.plies && m.value ? ` in ${m.plies}` : ""}` : "";
      return el("button", { type: "button", className: `move ${hints.checked ? (m.keeps ? "keeps" : "blunder") : ""}`, "data-move": m.move,
        onclick: () => { say(m.action, true); answer(); update(); buttons.querySelector("button")?.focus(); } }, m.name, hint ? el("small", {}, hint) : "");
    }));
    moves.replaceChildren(...plies.map((ply) => el("li", { className: ply.mine ? "mine" : "theirs" }, `${ply.mine ? "you" : rivalName()}: ${game.nameOf(ply.move)}`)));
    back.disabled = !plies.some((ply) => ply.mine);
    stop.disabled = over || !plies.length;
    result.replaceChildren(...(over ? [ending(), ...review()] : []));
  }

  /** Who won, and why, in the words of the rule book. */
  function ending() {
    const last = plies.at(-1);
    if (state >= 0) { // no legal move: the mover has lost
      const iMove = last ? !last.mine : seat.value === "0";
      return el("p", { className: `outcome ${iMove ? "lost" : "won"}` }, `${iMove ? "You lose" : "You win"}: ${iMove ? "you have" : `${rivalName()} has`} no legal move.`);
    }
    const value = ENDS[state] * (last.mine ? 1 : -1);
    const words = { 1: "You win", 0: "A draw", [-1]: "You lose" }[value];
    return el("p", { className: `outcome ${value > 0 ? "won" : "lost"}` }, `${words}: ${last.mine ? "you" : rivalName()} said ${game.nameOf(last.move)}, and ${game.endings[state]}.`);
  }

  /** Every move that threw value away, and what would have kept it. */
  function review() {
    const faults = plies.flatMap((ply, k) => {
      const moves = game.ranked(ply.state);
      const made = moves.find((m) => m.action === ply.action);
      if (made.keeps) return [];
      const kept = moves.filter((m) => m.keeps).sort((a, b) => a.action - b.action);
      const lost = game.value[ply.state] === 1 ? "the win" : "the game";
      return [el("li", { className: ply.mine ? "mine" : "theirs" }, `Move ${k + 1}, ${ply.mine ? "your" : `${rivalName()}’s`} ${game.nameOf(ply.move)} at ${game.words(ply.state)}, threw ${lost} away: ${game.lineOf(kept.map((m) => m.move))} would have kept it.`)];
    });
    if (!plies.length) return [];
    const mine = game.value[start] * (plies[0].mine ? 1 : -1);
    const seatWords = { 1: "You had the winning seat.", 0: "Neither side could force a win.", [-1]: "Your seat was lost from the start." }[mine];
    return [el("p", {}, seatWords, faults.length ? " The review:" : " Nobody threw anything away."), el("ol", { className: "review" }, ...faults)];
  }

  anew.addEventListener("click", () => begin());
  select.addEventListener("change", () => begin());
  seat.addEventListener("change", () => begin());
  hints.addEventListener("change", update);
  back.addEventListener("click", takeBack);
  stop.addEventListener("click", () => {
    result.replaceChildren(el("p", { className: "outcome" }, "Stopped before the end."), ...review());
  });
  begin();
  return (from) => {
    seat.value = "0";
    begin(from);
    box.scrollIntoView({ block: "center" });
  };
}
