# SPDX-License-Identifier: GPL-2.0-only
"""Measures an experiment file, here or on a cluster, and prints how long its runs took, in JSON.

usage: python -m benchmarks.cluster._timed SPEC OUT [ADDRESS]
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from kassay import pipeline
from kassay.model.progress import Progress
from kassay.run.scheduler import run_all
from kassay.spec.load import load


def _tell(event: Progress) -> None:
    if event.stage == "cluster":
        print(f"cluster: {event.subject} {event.text}", flush=True)


def main() -> None:
    """{"runs": number, "seconds": from the first that is handed out to the last that is kept, "cpu_s": of this process
    meanwhile}."""
    spent = {"runs": 0.0, "seconds": 0.0, "cpu_s": 0.0}

    def timed(*words: Any) -> Any:
        started, cpu = time.monotonic(), time.process_time()
        records = run_all(*words)
        spent["seconds"] += time.monotonic() - started
        spent["cpu_s"] += time.process_time() - cpu
        spent["runs"] = sum(record.outcome == "ok" for record in records)
        return records

    spec, out, *address = sys.argv[1:]
    with patch("kassay.run.owed_runs.run_all", timed):
        pipeline.measure(load(Path(spec)), Path(out), _tell, cluster=address[0] if address else "")
    print(json.dumps({**spent, "pid": os.getpid()}))


if __name__ == "__main__":
    main()
