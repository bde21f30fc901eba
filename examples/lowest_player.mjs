// Always the lowest legal move: python exam.py --env number-flip --player "node examples/lowest_player.mjs"
// One JSON line in, one JSON line out (docs/formats/protocol.md); node and nothing else.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, legal } = JSON.parse(line);
  console.log(JSON.stringify({ id, move: Math.min(...legal) }));
}
