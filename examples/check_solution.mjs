// Checks exported solutions, with nothing but node: node examples/check_solution.mjs FILE.json ...
// The format and the conditions are in docs/formats/solution.md. Exit code 0: all accepted; 1: a fault; 2: not readable.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const ILLEGAL = -1, MOVER_WINS = -2, MOVER_LOSES = -3, DRAW = -4;

// JSON with sorted keys, ", " and ": ", and everything beyond ASCII escaped: the text that the checksum begins with.
function canonical(thing) {
  if (thing !== null && typeof thing === "object") {
    const parts = Object.keys(thing).sort().map((key) => `${canonical(key)}: ${canonical(thing[key])}`);
    return `{${parts.join(", ")}}`;
  }
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(thing).replace(/[\u007f-\uffff]/g, escape);
}

function checksum(record) {
  const digest = createHash("sha256");
  digest.update(canonical({ game: record.game, parameters: record.parameters, fields: record.fields }));
  const moves = Buffer.alloc(8 * record.moves.length);
  record.moves.forEach((move, i) => moves.writeBigInt64LE(BigInt(move), 8 * i));
  digest.update(moves);
  for (const table of [record.positions, record.next_state]) {
    for (const row of table) {
      const bytes = Buffer.alloc(4 * row.length);
      row.forEach((number, i) => bytes.writeInt32LE(number, 4 * i));
      digest.update(bytes);
    }
  }
  return digest.digest("hex");
}

function faultAt(record, s) {
  const { next_state, value, remoteness, keeps, critical } = record;
  if (![-1, 0, 1].includes(value[s])) return "value is not 1, 0 or -1";
  const row = next_state[s];
  const worth = row.map((t) => (t >= 0 ? -value[t] : { [MOVER_WINS]: 1, [MOVER_LOSES]: -1, [DRAW]: 0 }[t]));
  const far = row.map((t) => (t >= 0 ? remoteness[t] : 0));
  const legal = [...row.keys()].filter((a) => row[a] !== ILLEGAL);
  const among = (kind) => legal.filter((a) => worth[a] === kind);
  const distances = (kind) => among(kind).map((a) => far[a]);
  if (value[s] === 1) {
    if (!among(1).length) return "called won, and no move wins";
    if (remoteness[s] !== 1 + Math.min(...distances(1))) return "won, and remoteness is not 1 + the least";
  } else if (value[s] === -1) {
    if (among(-1).length !== legal.length) return "called lost, and some move does not lose";
    const right = legal.length ? 1 + Math.max(...distances(-1)) : 0;
    if (remoteness[s] !== right) return "lost, and remoteness is not 1 + the largest";
  } else {
    if (among(1).length) return "called 0, and some move wins";
    if (!among(0).length) return "called 0, and no move holds it";
    if (remoteness[s] !== -1) return "value 0, and remoteness is not -1";
  }
  for (const a of row.keys()) {
    const right = row[a] !== ILLEGAL && worth[a] === value[s] ? 1 : 0;
    if (keeps[s][a] !== right) return `keep bit of action ${a} is wrong`;
  }
  const kept = legal.filter((a) => keeps[s][a] === 1).length;
  if (critical[s] !== (kept > 0 && kept < legal.length ? 1 : 0)) return "critical bit is wrong";
  return null;
}

export function fault(record) {
  if (record.format !== "perfect-play-solution-1") return `unknown format ${record.format}`;
  const states = record.next_state.length, actions = record.moves.length;
  for (const name of ["positions", "value", "remoteness", "keeps", "critical"]) {
    if (record[name].length !== states) return `${name} has ${record[name].length} rows, not ${states}`;
  }
  for (let s = 0; s < states; s++) {
    if (record.next_state[s].length !== actions || record.keeps[s].length !== actions) return `state ${s}: wrong width`;
    for (const t of record.next_state[s]) {
      if (!Number.isInteger(t) || t < DRAW || t >= states) return `state ${s}: a move leads nowhere`;
    }
    if (!Number.isInteger(record.remoteness[s])) return `state ${s}: remoteness is not a whole number`;
  }
  if (checksum(record) !== record.checksum) return "the checksum does not fit the graph";
  for (let s = 0; s < states; s++) {
    const found = faultAt(record, s);
    if (found) return `state ${s} (${record.positions[s].join(" ")}): ${found}`;
  }
  return null;
}

const files = process.argv.slice(2);
if (!files.length) console.error("usage: node examples/check_solution.mjs FILE.json ...");
let code = files.length ? 0 : 2;
for (const file of files) {
  try {
    const found = fault(JSON.parse(readFileSync(file, "utf8")));
    console.log(found ? `${file}: REJECTED: ${found}` : `${file}: accepted`);
    if (found) code = Math.max(code, 1);
  } catch (error) {
    console.error(`${file}: cannot be read as a solution (${error.message})`);
    code = 2;
  }
}
process.exitCode = code;
