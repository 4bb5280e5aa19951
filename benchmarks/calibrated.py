# SPDX-License-Identifier: GPL-2.0-only
"""A shipped timing file of this machine, made anew: probes, pairs of programs, intervals, and the page of pairs.

python -m benchmarks.calibrated NAME DIR [REPEATS]
    NAME: a file in src/kassay/labs/predict/data, such as zen4_kvm. DIR: traces of the pairs, made when not there.
    Takes half an hour on a quiet machine. Writes the file,
    benchmarks/pairs/measured.json and docs/results/predict-pairs.md.
"""

import sys
from pathlib import Path

import msgspec

from benchmarks import predict_pairs
from benchmarks._pairs import sources_sha256
from benchmarks._pairs_trace import RUNS
from kassay.labs.predict.calibrate.calibrate import calibrate
from kassay.labs.predict.calibrate.pairs import learn_file
from kassay.labs.predict.timing import timing_for
from kassay.model.progress import Progress

_ROOT = Path(__file__).parents[1]
_DATA = _ROOT / "src" / "kassay" / "labs" / "predict" / "data"
_PAGE = _ROOT / "docs" / "results" / "predict-pairs.md"


def _tell(event: Progress) -> None:
    print(f"{event.subject}: {event.text}", file=sys.stderr)


def _traced(directory: Path) -> bool:
    """True if the traces are of the programs as they are now."""
    runs = directory / RUNS
    return runs.is_file() and msgspec.json.decode(runs.read_bytes())["sources"] == sources_sha256()


def _ask(*words: str) -> None:
    """Call benchmarks.predict_pairs like its command line."""
    sys.argv = ["predict_pairs", *words]
    predict_pairs.main()


def main() -> None:
    match sys.argv[1:]:
        case [name, place, *repeats]:
            directory = Path(place)
        case _:
            sys.exit(__doc__)
    file, changes = _DATA / f"{name}.toml", directory / "changes.json"
    calibrate(name, like="", repeats=int(repeats[0]) if repeats else 15, fresh=True, tell=_tell, out=file)
    timing_for.cache_clear()
    _ask("measure")
    if not _traced(directory):
        _ask("trace", str(directory))
    _ask("changes", name, str(directory), str(changes))
    _, learned = learn_file(name, changes, file)
    print(f"{learned.table.n} changes; error of those left out {learned.plain_error:.1%} (median)")
    print("furthest off: " + ", ".join(f"{one} ({score:.2f})" for one, score in learned.worst))
    _ask("table", name, str(directory), str(_PAGE))


if __name__ == "__main__":
    main()
