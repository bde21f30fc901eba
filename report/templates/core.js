// The data of the page, and what every section asks of it. Text from outside is only ever set as textContent.

const report = JSON.parse(document.getElementById("report").textContent);
const [MOVER_WINS, MOVER_LOSES, DRAW] = [-2, -3, -4];
const ENDS = { [MOVER_WINS]: 1, [MOVER_LOSES]: -1, [DRAW]: 0 };
const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** An element with properties and children; a string child becomes text. */
function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node && key !== "style") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function option(text, value) {
  return el("option", { value }, text);
}

function percent(p) {
  if (p > 0 && p < 0.001) return "<0.1%";
  if (p < 1 && p > 0.999) return ">99.9%";
  return `${(100 * p).toFixed(p === 0 || p === 1 ? 0 : 1)}%`;
}

/** Rounded, but never to a 0 or a 1 that it is not. */
function exact(value) {
  const text = value.toFixed(3);
  if (text === "0.000" && value > 0) return "<0.001";
  return text === "1.000" && value < 1 ? ">0.999" : text;
}

const number = (n) => n.toLocaleString("en-US");
const worth = (value) => ({ 1: "wins", 0: "holds", [-1]: "loses" })[value];

/** A game of the report with the questions that the sections ask. */
class Game {
  constructor(record) {
    Object.assign(this, record);
    const { words, ...arrays } = record.arrays ?? {}; // without arrays the game is not drawn
    Object.assign(this, { fieldNames: Object.keys(record.fields), inWords: words ?? null, ...arrays });
    this.startValue = record.value; // the arrays' value is that of every state
    this.everyone = [...record.players, ...record.asked_in_part.map((exam) => ({ ...exam, inPart: true, asked: new Set(exam.asked) }))];
  }

  words(state) {
    return this.inWords?.[state] ?? this.fieldNames.map((name, k) => `${name.replaceAll("_", " ")} ${this.positions[state][k]}`).join(", ");
  }

  /** What a player calls a move, and several of them. */
  nameOf(move) {
    return this.move_names[move];
  }

  lineOf(moves) {
    const names = moves.map((move) => this.nameOf(move));
    return names.join(names.some((name) => name.includes(" ")) ? ", " : " ");
  }

  /** All legal moves, best first: the winner hurries, the loser delays, then the lowest. */
  ranked(state) {
    const moves = [];
    this.next_state[state].forEach((after, action) => {
      if (after === -1) return;
      const value = after < 0 ? ENDS[after] : 0 - this.value[after];
      const far = after < 0 ? 1 : this.remoteness[after] + 1;
      moves.push({ action, after, value, move: this.moves[action], name: this.nameOf(this.moves[action]), plies: value || after < 0 ? far : 0, keeps: value === this.value[state] });
    });
    const haste = (m) => (m.value > 0 ? m.plies : -m.plies);
    return moves.sort((a, b) => b.value - a.value || haste(a) - haste(b) || a.action - b.action);
  }

  critical(state) {
    const moves = this.ranked(state);
    return moves.some((m) => m.keeps) && moves.some((m) => !m.keeps);
  }

  /** "keeps", "blunder", "nothing" to decide, or "unasked": what a player with these probabilities does in a position. */
  verdict(state, row, player) {
    const moves = this.ranked(state);
    if (!moves.some((m) => m.keeps) || moves.every((m) => m.keeps)) return "nothing";
    if (player.inPart && !player.asked.has(state)) return "unasked";
    return moves.some((m) => !m.keeps && row[m.action] > 0) ? "blunder" : "keeps";
  }

  /** With which probability a row of probabilities throws the value of a position away. */
  blundering(state, row) {
    return this.ranked(state).reduce((sum, m) => (m.keeps ? sum : sum + row[m.action]), 0);
  }
}

/** The probabilities of a player in a state; `at` is the number of a snapshot, or null for the judged policy. */
function rowOf(player, state, at = null) {
  if (at === null) return player.policy.rows[player.policy.row[state]];
  const { actions, width } = player.snapshots;
  let last = at;
  while (actions[last] === null) last -= 1; // as it was before
  const text = actions[last].slice(state * width, (state + 1) * width);
  const row = new Array(player.policy.rows[0].length).fill(0);
  if (text[0] !== ".") row[[...text].reduce((sum, sign) => sum * 64 + SIGNS.indexOf(sign), 0)] = 1;
  return row;
}

const likeliest = (row) => row.indexOf(Math.max(...row));

/** A choice of players in the order of the report. */
function playerSelect(game, label, chosen = 0, players = game.everyone) {
  const select = el("select", {}, ...players.map((player, k) => option(player.name, k)));
  select.value = chosen;
  return { select, field: el("label", { className: "field" }, label, select) };
}
