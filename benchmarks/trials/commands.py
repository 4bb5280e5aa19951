# SPDX-License-Identifier: GPL-2.0-only
"""Commands that measure, each in its cheapest form: what is given to them, and what of their answer must repeat.

series and bisections of commits build what the cache lacks, which is two kernels once. codegen --source compiles an
object each time.
The answer of calibrate is a time, so the names of its values are compared. history confirm measures a nominated point
of a copy of the archive that kassay ships.
"""

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks._kassay import argv
from kassay.effects.files import cache_directory, write_atomic
from kassay.errors import BadInput
from kassay.journal.journal import read_journal, read_lines
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.kernels import fetch
from kassay.tools.history.packed import STOCK, unpacked

_SMALL = ("--set", "size=64KiB", "--boot", "snapshot", "--rounds", "3", "--repeats", "2", "--perturb", "1")
_JSON = ("--format", "json")
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_BASE = "build:debian-source:7.3"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d")
_PATCH = """--- a/mm/mincore.c
+++ b/mm/mincore.c
@@ -1,2 +1,3 @@
 // SPDX-License-Identifier: GPL-2.0
+/* NAME */
 /*
"""
_KEYS = ("findings", "ladders", "verdict", "audits", "kernels", "counts", "rows", "steps", "applications", "outcomes")
_DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
_SPEC = """schema = "kassay-experiment/1"
kernels = ["debian:6.12", "debian:6.17"]
clock = "icount"
boot = "snapshot"
rounds = 3
repeats = 2
perturb = 1
workloads = [{ name = "mincore_scan", set = { size = ["64KiB"] } }]
"""


class Command(NamedTuple):
    """One command."""

    words: Callable[[Path, Path], tuple[str, ...]]
    """Its words, from a directory for its inputs and the directory of the trial's runs."""
    answer: Callable[[Path, str], Any]
    """Function of the directory of its runs and its output. Its result must be the same each time."""


def _json(out: Path, text: str) -> Any:
    report = json.loads(text)
    return _plain({key: report[key] for key in _KEYS if key in report} or report)


def _plain(report: Any) -> Any:
    """The whole of a report, without wall times and names of directories."""
    if isinstance(report, dict):
        return {k: _plain(v) for k, v in report.items() if not re.search(r"second|_s$|wall|directory|command", k)}
    return [_plain(one) for one in report] if isinstance(report, list) else report


def _written(out: Path, text: str) -> Any:
    return _plain(json.loads((out / "answer.json").read_text()))


def _result(out: Path, text: str) -> Any:
    return _plain(json.loads((out / "result.json").read_text()))


def _text(out: Path, text: str) -> Any:
    return [line for line in text.replace(str(out), "OUT").splitlines() if not re.search(r"\d s\b|seconds", line)]


def _stored(name: str) -> Callable[[Path, str], Any]:
    def answer(out: Path, text: str) -> Any:
        found = sorted(out.rglob(name))
        assert found, f"no {name} was stored"
        return [path.read_bytes().hex() for path in found]

    return answer


def _of(command: str, kernels: str, *more: str) -> Callable[[Path, Path], tuple[str, ...]]:
    """The words of a command about mprotect_toggle on these kernels, separated by blanks."""

    def words(place: Path, out: Path) -> tuple[str, ...]:
        refs = (f"debian:{kernel}" for kernel in kernels.split())
        return (command, "mprotect_toggle", *refs, *more, "--out", str(out))

    return words


def _run(place: Path, out: Path) -> tuple[str, ...]:
    (place / "spec.toml").write_text(_SPEC)
    return ("run", str(place / "spec.toml"), *_JSON, "--out", str(out))


def _import(place: Path, out: Path) -> tuple[str, ...]:
    files = (f"{kernel}={_DATA / 'imports' / f'pyperf-{kernel}.json'}" for kernel in ("a", "b"))
    return ("import", *files, "--out", str(out))


def _rerun(place: Path, out: Path) -> tuple[str, ...]:
    """The bundle of a small comparison, which is made when it is not there."""
    bundle = place / "made.tar.zst"
    if not bundle.is_file():
        words = _of("compare", "6.12 6.17", *_SMALL)(place, place / "made")
        for line in (words, ("bundle", "pack", str(place / "made"), "--out", str(bundle))):
            subprocess.run(argv(*line), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return ("bundle", "rerun", str(bundle), "--out", str(out))


def _record(place: Path, out: Path) -> tuple[str, ...]:
    size = ("--cpus", "1", "--rounds", "2", "--set", "size=64KiB")
    return ("pcp", "record", "page_fault", "6.12", *size, "--out", str(out))


def _simulate(place: Path, out: Path) -> tuple[str, ...]:
    return ("pcp", "simulate", "depth", "--policy", "fixed,auto", "--set", "cpus=8", *_JSON, "--out", str(out))


def _codegen(place: Path, out: Path) -> tuple[str, ...]:
    out.mkdir(parents=True, exist_ok=True)
    return ("codegen", "mincore_pte_range", "debian:6.12", "debian:6.17", "--out", str(out / "answer.json"))


def _notice(place: Path, out: Path) -> tuple[str, ...]:
    once = ("--rounds", "2", "--repeats", "1", "--no-sizes")
    kernels = ("debian:6.12", "debian:6.17")
    return ("notice", "change_protection", *kernels, "--apps", "mprotect_toggle", *once, *_JSON, "--out", str(out))


def _measure(place: Path, out: Path) -> tuple[str, ...]:
    return ("pcp", "measure", "6.12", "--depth", "1MiB", "--repeats", "1", *_JSON, "--out", str(out))


def _object(place: Path, out: Path) -> tuple[str, ...]:
    """The object of a file that no build made before: the patch is another one in each directory of runs."""
    out.mkdir(parents=True, exist_ok=True)
    patch = out / "patch.diff"
    if not patch.is_file():
        patch.write_text(_PATCH.replace("NAME", sha256(str(out).encode()).hexdigest()[:16]))
    refs = (_BASE, f"{_BASE}+{patch}")
    return ("codegen", "mincore_pte_range", *refs, "--source", "mm/mincore.c", "--out", str(out / "answer.json"))


def _compiled(out: Path, text: str) -> Any:
    """Outcome, size and class of each reference. Their names differ from trial to trial."""
    report = json.loads((out / "answer.json").read_text())
    return [{key: one[key] for key in ("outcome", "size", "class")} for one in report["references"]]


def _series(place: Path, out: Path) -> tuple[str, ...]:
    patches = ("--patches", str(_EXAMPLES / "mprotect-general.patch"))
    return ("series", "mprotect_toggle", "--base", _BASE, *patches, *_SMALL, *_JSON, "--out", str(out))


def _commits(place: Path, out: Path) -> tuple[str, ...]:
    """Four commits, of which the third has the change. Their trees are those of two builds that the cache has."""
    tree = place / "linux"
    if not (tree / "done").is_file():
        shutil.rmtree(tree, ignore_errors=True)
        _repository(tree)
    ends = ("--good", f"build:{tree}@HEAD~3", "--bad", f"build:{tree}@HEAD")
    return ("bisect", "mprotect_toggle", *ends, *_SMALL[:4], "--out", str(out))


def _repository(tree: Path) -> None:
    refs = (_BASE, f"{_BASE}+{_EXAMPLES / 'mprotect-general.patch'}")
    builds = [artifact.identity.build for artifact in fetch(list(map(parse_ref, refs)), "cloud", silent)]
    _git(tree.parent, "init", "--quiet", str(tree))
    (tree / ".git/objects/info/alternates").write_text(f"{cache_directory() / 'sources' / 'git'}/objects\n")
    head: tuple[str, ...] = ()
    for number, build in enumerate((builds[0], builds[0], builds[1], builds[1])):
        assert build is not None
        head = ("-p", _git(tree, "commit-tree", *head, "-m", f"commit {number}", build.tree))
    _git(tree, "update-ref", "HEAD", head[1])
    (tree / "done").touch()


def _git(place: Path, *words: str) -> str:
    who = ("-c", "user.name=trial", "-c", "user.email=trial@localhost")
    return subprocess.run(("git", *who, *words), cwd=place, check=True, capture_output=True, text=True).stdout.strip()


def _step(place: Path, out: Path) -> tuple[str, ...]:
    ends = ("--good", "debian:6.12", "--bad", "debian:6.17", "--head", "debian:6.16")
    return ("bisect", "--step", "mprotect_toggle", *ends, *_SMALL[:4], "--out", str(out))


def _calibrate(place: Path, out: Path) -> tuple[str, ...]:
    out.mkdir(parents=True, exist_ok=True)
    return ("calibrate", "trial", "--like", "zen4", "--repeats", "1", "--out", str(out / "answer.toml"))


def _names(out: Path, text: str) -> Any:
    """The names of all values of a timing file."""
    table = tomllib.loads((out / "answer.toml").read_text())
    return {key: sorted(value) if isinstance(value, dict) else "" for key, value in table.items()}


def _confirm(place: Path, out: Path) -> tuple[str, ...]:
    """A point that the shipped history nominates. Its runs are made below the working directory."""
    archive = out / "history.duckdb"
    if not archive.is_file():
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(archive, unpacked(STOCK).read_bytes())
    return ("history", "confirm", _nominated(archive), "--archive", str(archive))


def _nominated(archive: Path) -> str:
    """The id of the step from 6.16 to 6.17, confirmed or not."""
    asked = ("history", "points", "mprotect_toggle", "--arch", "x86_64", "--archive", str(archive), *_JSON)
    found = json.loads(subprocess.run(argv(*asked), check=True, capture_output=True, text=True).stdout)
    ids = [point["id"] for point in found["nominated"] if "6.16" in point["before"]["kernel"]["name"]]
    return str(ids[0])


def _confirmed(out: Path, text: str) -> Any:
    asked = ("history", "points", "mprotect_toggle", "--arch", "x86_64", "--archive", str(out / "history.duckdb"))
    found = json.loads(subprocess.run(argv(*asked, *_JSON), check=True, capture_output=True, text=True).stdout)
    return [[point["id"], (point.get("confirmation") or {}).get("verdict")] for point in found["nominated"]]


def _lab(place: Path, out: Path) -> tuple[str, ...]:
    out.mkdir(parents=True, exist_ok=True)
    (out / "lab.toml").write_text('archive = ["6.16", "6.17"]\nsuites = ["small"]\nbundles = false\n')
    return ("lab", str(out / "lab.toml"), "--once")


def _steps(out: Path, text: str) -> Any:
    return _undated(tomllib.loads((out / "steps.toml").read_text()))


def _undated(table: Any) -> Any:
    """The same without moments."""
    if isinstance(table, dict):
        return {k: _undated(v) for k, v in table.items() if not _MOMENT.match(str(v))}
    return [_undated(one) for one in table] if isinstance(table, list) else table


def _try(place: Path, out: Path) -> tuple[str, ...]:
    return ("try", "mincore_scan", "debian:6.17", *_SMALL[:4], "--out", str(out))


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "compare": Command(_of("compare", "6.12 6.17", *_SMALL, *_JSON), _json),
        "compare --predict": Command(_of("compare", "6.12 6.17", *_SMALL, *_JSON, "--predict", "zen4-kvm"), _json),
        "compare --cpus 2": Command(
            _of("compare", "6.12 6.17", *_SMALL, *_JSON, "--cpus", "2", "--boot", "short"), _json
        ),
        "ladder": Command(_of("ladder", "6.12 6.16 6.17", *_SMALL, *_JSON), _json),
        "gap": Command(_of("gap", "6.16 6.17 7.3", *_SMALL, *_JSON), _json),
        "bisect": Command(_of("bisect", "6.12 6.16 6.17 7.0", *_SMALL[:4]), _result),
        "run": Command(_run, _json),
        "try": Command(_try, _text),
        "series": Command(_series, _json),
        "bisect of commits": Command(_commits, _result),
        "bisect --step": Command(_step, _text),
        "calibrate": Command(_calibrate, _names),
        "history confirm": Command(_confirm, _confirmed),
        "lab": Command(_lab, _steps),
        "codegen --source": Command(_object, _compiled),
        "codegen": Command(_codegen, _written),
        "notice": Command(_notice, _json),
        "pcp measure": Command(_measure, _json),
        "pcp record": Command(_record, _stored("*.pages.zst")),
        "pcp simulate": Command(_simulate, _json),
        "bundle rerun": Command(_rerun, _text),
        "import": Command(_import, _stored("samples.json")),
    }
)


def kept(out: Path) -> tuple[str, ...]:
    """Everything that was measured and kept, in order: runs of all journals, boots of a bisection. Raises
    AssertionError for a run that was made twice."""
    names: list[str] = []
    for path in sorted(out.rglob("journal.jsonl")) if out.is_dir() else ():
        place = path.parent.relative_to(out)
        records = [record for record in _records(path) if record.outcome == "ok"]
        ids = [f"{place}/{record.run}" for record in records]
        assert len(set(ids)) == len(ids), f"a run was made twice: {ids}"
        names += ids
    for path in sorted(out.rglob("log.jsonl")) if out.is_dir() else ():
        names += [f"{path.parent.relative_to(out)}/log/{n}" for n, _ in enumerate(read_lines(path).payloads)]
    return tuple(names)


def _records(path: Path) -> tuple[Any, ...]:
    try:
        return read_journal(path)
    except BadInput as error:  # nothing but a damaged line, which may not be
        raise AssertionError(f"the journal is damaged: {error.what}") from error
