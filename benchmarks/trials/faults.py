# SPDX-License-Identifier: GPL-2.0-only
"""Faults of the host while a command measures: full disks, a second command, clock steps, a cache that vanishes.

The faulty command may end early with a reason. The same command without the fault then gives the answer of an
undisturbed one, and nothing that was measured is lost or made twice. Mounts need root.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType

from benchmarks._kassay import argv
from benchmarks.trials.campaign import NONE, Result, read, run, tell, turns
from benchmarks.trials.commands import COMMANDS, kept
from benchmarks.trials.kills import MARK, ended, environment, inputs, left_processes, undisturbed
from kassay.effects.files import cache_directory

_COMMANDS = ("compare", "ladder", "run")
_DOCUMENTED = (0, 2, 3)
"""Exit statuses of a command that met a fault: answered, refused, the host lacks something."""
_LIMIT_S = 3600
_LARGEST_KB = 1500
"""A disk of so many kB has room for most of a command's files."""
_DAYS = 400
_SHARED = ("kernels", "refs", "symbols", "configurations", "packages", "modules")
"""Parts of the cache that nothing writes to: a copy has them as hard links."""

_ON_A_SMALL_DISK = """
mount -t tmpfs -o size="$1" none "$2" || exit 99
directory=$2 result=$3 status=0
shift 3
"$@" >"$result/output" 2>"$result/first-errors" || status=$?
echo $status >"$result/status"
mount -o remount,size=1g "$directory" || exit 99
cp -a "$directory" "$result/first"
"$@" >"$result/output" 2>"$result/errors" || exit $?
cp -a "$directory" "$result/last"
"""


def campaign(directory: Path, chosen: Sequence[str], deadline: float, earlier: Mapping[str, int] = NONE) -> None:
    """Makes the faults until the deadline, each in turn."""
    known = [name for name in FAULTS if not chosen or name in chosen]
    for name, number in turns(known, read(directory), "faults", deadline, earlier):
        tell(run(directory, "faults", name, number, lambda r, n=name, i=number: _made(directory, n, i, r)))  # type: ignore[misc]


def _made(directory: Path, name: str, number: int, random: Random) -> Result:
    command = random.choice(_COMMANDS)
    undisturbed(directory, command)
    place = directory / "faults" / f"{name.replace(' ', '-')}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    FAULTS[name](directory, place, command, random)
    shutil.rmtree(place)
    return Result(1)


def _same(directory: Path, command: str, out: Path, found: object) -> None:
    answer, _ = undisturbed(directory, command)
    assert json.dumps(found) == answer, f"{command}: another answer in {out}"
    kept(out)  # asserts that no run was made twice


def _again(directory: Path, place: Path, command: str, before: tuple[str, ...]) -> None:
    """The same command without a fault."""
    found = ended(command, inputs(directory), place / "out", environment(place, "last"))
    _same(directory, command, place / "out", found)
    assert set(before) <= set(kept(place / "out")), "a run was lost"


def _documented(status: int, errors: str) -> None:
    assert status in _DOCUMENTED and "Traceback" not in errors, f"status {status}: {errors[-300:]}"


def _full(which: str) -> Callable[[Path, Path, str, Random], None]:
    def fault(directory: Path, place: Path, command: str, random: Random) -> None:
        result, out = place / "result", place / "out"
        for made in (result, out):
            made.mkdir()
        env = environment(place, "full")
        size, small = random.randint(20, _LARGEST_KB), out if which == "out" else Path(env["TMPDIR"])
        words = ("unshare", "-m", "sh", "-c", _ON_A_SMALL_DISK, "sh", f"{size}k", str(small), str(result))
        asked = argv(*COMMANDS[command].words(inputs(directory), out))
        done = subprocess.run((*words, *asked), env=env, timeout=_LIMIT_S)
        errors = (result / "errors").read_text()
        assert done.returncode == 0, f"{size} kB, then room: {done.returncode}: {errors[-300:]}"
        _documented(int((result / "status").read_text()), (result / "first-errors").read_text())
        last = result / "last" if which == "out" else out
        if which == "out":
            assert set(kept(result / "first")) <= set(kept(last)), "a run was lost"
        _same(directory, command, last, COMMANDS[command].answer(out, (result / "output").read_text()))

    return fault


def _two(directory: Path, place: Path, command: str, random: Random) -> None:
    words, children = argv(*COMMANDS[command].words(inputs(directory), place / "out")), []
    _, usual_s = undisturbed(directory, command)
    for number in range(2):
        with (place / f"errors-{number}").open("w") as errors:
            children.append(subprocess.Popen(words, env=environment(place, f"two-{number}"), stdout=subprocess.DEVNULL,
                                             stderr=errors))  # fmt: skip
        time.sleep(random.uniform(0, usual_s / 2) if not number else 0)
    for number, child in enumerate(children):
        _documented(child.wait(_LIMIT_S), (place / f"errors-{number}").read_text())
    assert any(child.returncode == 0 for child in children), "neither of the two gave an answer"
    _again(directory, place, command, kept(place / "out"))


def _clock(sign: int) -> Callable[[Path, Path, str, Random], None]:
    def fault(directory: Path, place: Path, command: str, random: Random) -> None:
        library, step = stepper(place), place / "step"
        step.write_bytes(bytes(8))
        env = {**environment(place, "clock"), "LD_PRELOAD": str(library), "TRIALS_STEP": str(step)}
        _, usual_s = undisturbed(directory, command)
        words = argv(*COMMANDS[command].words(inputs(directory), place / "out"))
        with (place / "output").open("w") as output, (place / "errors").open("w") as errors:
            child = subprocess.Popen(words, env=env, stdout=output, stderr=errors)
            for _ in range(random.randint(1, 3)):
                time.sleep(random.uniform(0, usual_s / 2))
                with step.open("r+b") as file:
                    file.write((sign * random.randint(1, _DAYS * 86400)).to_bytes(8, "little", signed=True))
            status = child.wait(_LIMIT_S)
        assert status == 0, f"status {status}: {(place / 'errors').read_text()[-300:]}"
        found = COMMANDS[command].answer(place / "out", (place / "output").read_text())
        _same(directory, command, place / "out", found)

    return fault


def _cache(directory: Path, place: Path, command: str, random: Random) -> None:
    cache = place / "cache"
    _link_cache(cache)
    env = {**environment(place, "cache"), "XDG_CACHE_HOME": str(cache)}
    _, usual_s = undisturbed(directory, command)
    words = argv(*COMMANDS[command].words(inputs(directory), place / "out"))
    with (place / "errors").open("w") as errors:
        child = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=errors)
        time.sleep(random.uniform(0, 3 * usual_s))  # an empty cache makes it slower
        shutil.rmtree(cache, ignore_errors=True)
        _link_cache(cache)
        status = child.wait(_LIMIT_S)
    _documented(status, (place / "errors").read_text())
    assert not (left := left_processes(env[MARK])), f"processes were left: {left}"
    _again(directory, place, command, kept(place / "out"))


def _link_cache(cache: Path) -> None:
    own = cache / "kassay"
    own.mkdir(parents=True, exist_ok=True)
    for name in _SHARED:
        if (cache_directory() / name).is_dir():
            subprocess.run(("cp", "-al", str(cache_directory() / name), str(own)), check=True)
    subprocess.run(("cp", "-a", str(cache_directory() / "apt"), str(own)), check=True)


FAULTS: Mapping[str, Callable[[Path, Path, str, Random], None]] = MappingProxyType(
    {
        "full disk of the runs": _full("out"),
        "full disk of temporary files": _full("tmp"),
        "two commands on one directory": _two,
        "clock set forward": _clock(1),
        "clock set back": _clock(-1),
        "cache vanishes": _cache,
    }
)


def stepper(place: Path) -> Path:
    """The library that makes the wall clock step (native/step.c)."""
    source, library = Path(__file__).parent / "native" / "step.c", place / "step.so"
    subprocess.run(("gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source)), check=True)
    return library


def obstacle() -> str:
    """Why these faults cannot be made on this host; "" when they can."""
    return "mounts need root" if os.geteuid() else ""
