"""A random player for exam.py: python exam.py --env number-flip --player "python examples/random_player.py"

Answers come one a line, each with the id of its question (docs/formats/protocol.md). A seed may follow,
to draw alike again.
"""

import json
import random
import sys

chance = random.Random(int(sys.argv[1])) if len(sys.argv) > 1 else random.Random()
for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"], "move": chance.choice(question["legal"])}
    print(json.dumps(answer), flush=True)
