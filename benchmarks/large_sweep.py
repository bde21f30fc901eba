"""What a sweep of very many short runs costs its leader: seconds, memory, files; and a stop and a start in the middle.

    python benchmarks/large_sweep.py --runs 10000

Linux: the memory of the leader is read from /proc. Nothing is stored; leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAN = 'env = "fifty-wins"\nagent = "q-learning"\nseeds = "0-{last}"\nsettings = {{steps = 1_000, evaluations = 1}}\n'


def peak(process: int) -> float:
    """MB that a process has ever had in memory."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def lead(folder: Path, until: int | None) -> tuple[float, float, int]:
    """Seconds, MB of the leader, and its exit code; with `until`, Ctrl-C after so many runs are begun."""
    began, most = time.monotonic(), 0.0
    words = [sys.executable, str(ROOT / "sweep.py"), str(folder / "large.toml"), "--out", str(folder), "--quiet"]
    with subprocess.Popen(words, cwd=ROOT, start_new_session=True) as process:
        while process.poll() is None:
            most = max(most, peak(process.pid))
            time.sleep(0.5)
            status = folder / "large" / "status"
            if until is not None and status.is_dir() and sum(1 for _ in status.rglob("*.json")) >= until:
                os.killpg(process.pid, signal.SIGINT)
                until = None
    return time.monotonic() - began, most, process.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "large.toml").write_text(PLAN.format(last=runs - 1), encoding="utf-8")
        print(f"{runs} runs, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} when it began")
        for what, until in (("stopped in the middle", runs // 2), ("to the end", None), ("started once more", None)):
            seconds, memory, code = lead(folder, until)
            print(f"{what:24}{seconds:8.1f} s{memory:8.0f} MB of the leader   exit code {code}", flush=True)
        files = [file for file in (folder / "large").rglob("*") if file.is_file()]
        table = (folder / "large" / "summary.csv").read_text(encoding="utf-8").count(",finished,")
        disk = sum(file.stat().st_blocks for file in files) * 512 / 2**20
        print(f"{table} finished; {len(files)} files, {disk:.0f} MB on disk")


if __name__ == "__main__":
    main()
