"""Print the folder of the task for --include_path; with files of samples, their replies for exam.py --score."""

from __future__ import annotations

import json
import sys
from pathlib import Path

if len(sys.argv) == 1:
    print(Path(__file__).parent)
for file in sys.argv[1:]:
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        print(json.dumps({"id": sample["doc"]["id"], "reply": sample["resps"][0][0]}))
