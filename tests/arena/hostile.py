"""Players that no judge should have to meet. Each is the text of a Python program; {move} picks a move that keeps."""

from __future__ import annotations

HEAD = """
import json, os, sys, time
def questions():
    for line in sys.stdin:
        yield json.loads(line)
def say(question, move, **more):
    sys.stdout.write(json.dumps({"id": question["id"], "move": move, **more}) + "\\n")
    sys.stdout.flush()
"""

HOSTILE = {
    "garbage": """
for question in questions():
    print("I am thinking about", question["legal"], "and choose wisely")
""",
    "flood": """
while True:
    sys.stdout.write("7" * 100000)
""",
    "flood of lines": """
while True:
    sys.stdout.write('{"id": "1-0000000000000000", "move": 1}\\n' * 1000)
""",
    "hanging": """
time.sleep(1000)
""",
    "dying in the middle": """
for number, question in enumerate(questions()):
    if number == 2:
        sys.stderr.write("out of memory, or so")
        os._exit(3)
    say(question, question["legal"][0])
""",
    "dying at once": """
os._exit(1)
""",
    "late": """
for question in questions():
    time.sleep(3 * question["seconds"])
    say(question, question["legal"][0])
""",
    "twice": """
for question in questions():
    say(question, question["legal"][0])
    say(question, 999)
    say(question, question["legal"][-1])
""",
    "out of order": """
held = None
for question in questions():
    if held is None:
        held = question
    else:
        say(question, question["legal"][0])
        say(held, held["legal"][0])
        held = None
""",
    "binary": """
for question in questions():
    os.write(1, bytes(range(256)).replace(b"\\n", b"") + b"\\n")
""",
    "a huge integer": """
for question in questions():
    sys.stdout.write('{"id": "%s", "move": %s}\\n' % (question["id"], "9" * 6000))
""",
    "closing stdin": """
line = os.read(0, 65536)
os.close(0)
say(json.loads(line.split(b"\\n")[0]), json.loads(line)["legal"][0])
time.sleep(1000)
""",
    "closing stdout": """
question = json.loads(sys.stdin.readline())
os.close(1)
time.sleep(1000)
""",
    "screaming on stderr": """
for question in questions():
    sys.stderr.write("!" * 300000)
    say(question, question["legal"][0])
""",
}
