# SPDX-License-Identifier: GPL-2.0-only
"""The wall clock of a command steps when its file says so, and no other clock does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.trials.faults import stepper

DAY = 86400
SCRIPT = """
import sys, time
for _ in sys.stdin:
    began = time.monotonic()
    time.sleep(0.01)
    print(int(time.time()), time.monotonic() - began < 1000, flush=True)
"""


@pytest.mark.parametrize("sign", [1, -1])
def test_the_wall_clock_steps_alone(tmp_path: Path, sign: int) -> None:
    step = tmp_path / "step"
    step.write_bytes(bytes(8))
    env = {**os.environ, "LD_PRELOAD": str(stepper(tmp_path)), "TRIALS_STEP": str(step)}
    words = (sys.executable, "-c", SCRIPT)
    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        times = []
        for days in (0, 100 * sign, 0):
            with step.open("r+b") as file:
                file.write((days * DAY).to_bytes(8, "little", signed=True))
            child.stdin.write("\n")
            child.stdin.flush()
            wall, sane = child.stdout.readline().split()
            assert sane == "True"
            times.append(int(wall))
        child.stdin.close()
    assert [round((now - times[0]) / DAY) for now in times] == [0, 100 * sign, 0]
