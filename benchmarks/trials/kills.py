# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 at random moments of each command that measures, then the same command again.

The answer must be that of an undisturbed command. Nothing measured is lost or made twice, no process outlives the
killed one, and the last command leaves no temporary file.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks._kassay import argv
from benchmarks.trials.campaign import NONE, Result, read, run, tell, turns
from benchmarks.trials.commands import COMMANDS, Command, kept

_EXTENSIONS = Path(__file__).with_name("extensions")
"""A suite of one workload, for the laboratory."""
MARK = "TRIALS_MARK"
"""In the environment of a trial's processes, so that those left are found."""
_MOST_KILLS = 12
_LIMIT_S = 3600
_GONE_S = 10
_BUSY_S = 5
LACKS = 3
"""Exit status: this host, or this kernel, lacks something."""


def campaign(directory: Path, chosen: Sequence[str], deadline: float, earlier: Mapping[str, int] = NONE) -> None:
    """Kills commands until the deadline, each in turn."""
    known = [name for name in COMMANDS if not chosen or name in chosen]
    for name, number in turns(known, read(directory), "kills", deadline, earlier):
        tell(run(directory, "kills", name, number, lambda r, n=name, i=number: _killed(directory, n, i, r)))  # type: ignore[misc]


def undisturbed(directory: Path, name: str) -> tuple[str, float]:
    """(the answer as JSON, wall seconds) of the command, made once for each campaign."""
    place = directory / "kills" / "undisturbed" / name.replace(" ", "-")
    path = place / "answer.json"
    if not path.is_file():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        ended(name, inputs(directory), place / "warm", environment(place, "warm"))  # fills the caches
        started = time.monotonic()
        found = ended(name, inputs(directory), place / "out", environment(place, "whole"))
        path.write_text(json.dumps([found, time.monotonic() - started, len(kept(place / "out"))]))
    answer, seconds, _ = json.loads(path.read_text())
    return json.dumps(answer), seconds


def inputs(directory: Path) -> Path:
    """A directory for what the commands are given."""
    place = directory / "kills" / "inputs"
    place.mkdir(parents=True, exist_ok=True)
    return place


def environment(place: Path, mark: str) -> Mapping[str, str]:
    """A temporary directory and a mark of its own."""
    (place / "tmp").mkdir(parents=True, exist_ok=True)
    own = {"TMPDIR": place / "tmp", "XDG_DATA_HOME": place / "data", "KASSAY_PATH": _EXTENSIONS}
    return {**os.environ, MARK: f"{place}:{mark}", **{name: str(path) for name, path in own.items()}}


def working_directory(out: Path) -> Path:
    """The directory that a command is started in: that of its runs, once it is there."""
    return out if out.is_dir() else out.parent


def ended(name: str, given: Path, out: Path, env: Mapping[str, str]) -> object:
    """Runs a command to its end. Returns its answer; raises AssertionError for a status other than 0."""
    command = COMMANDS[name]
    while True:
        with (out.parent / "errors").open("w+") as file:
            words = argv(*command.words(given, out))
            done = subprocess.run(words, env=env, cwd=working_directory(out), stdout=subprocess.PIPE, stderr=file,
                                  text=True, timeout=_LIMIT_S)  # fmt: skip
            file.seek(0)
            errors = file.read()
        if not waited_for_host(done.returncode, errors):
            break
    assert done.returncode == 0, f"{name} ended with {done.returncode}: {errors[-300:]}"
    return command.answer(out, done.stdout)


def waited_for_host(status: int, errors: str) -> bool:
    """True, after a wait, if a command was refused because another kassay measures time on this host."""
    busy = status == LACKS and "this host's clock is in use by another kassay" in errors
    if busy:
        time.sleep(_BUSY_S)
    return busy


def left_processes(mark: str) -> list[str]:
    """Command lines of processes with the mark, after those that are ending had some seconds."""
    until = time.monotonic() + _GONE_S
    while (found := _marked(mark)) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _marked(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:80])
        except OSError:  # it ended, or is another user's
            continue
    return found


def _killed(directory: Path, name: str, number: int, random: Random) -> Result:
    answer, usual_s = undisturbed(directory, name)
    place = directory / "kills" / f"{name.replace(' ', '-')}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    out, given = place / "out", inputs(directory)
    kills, before = 0, tuple[str, ...]()
    for turn in range(random.randint(1, _MOST_KILLS)):
        env = environment(place, f"kill-{turn}")
        kills += _kill_one(COMMANDS[name], given, out, env, random.uniform(0, usual_s), random.random() < 0.5)
        left = left_processes(env[MARK])
        assert not left, f"processes were left: {left}"
        now = kept(out)
        assert set(before) <= set(now), f"a run was lost: {set(before) - set(now)}"
        before = now
    temporary = _names(place / "tmp")
    found = json.dumps(ended(name, given, out, environment(place, "last")))
    assert found == answer, f"another answer: {found[:120]} instead of {answer[:120]}"
    assert set(before) <= set(kept(out)), "the last command lost a run"
    assert not (more := _names(place / "tmp") - temporary), f"temporary files were left: {sorted(more)[:3]}"
    assert not (partial := _partial(out)), f"partial files were left: {partial[:3]}"
    shutil.rmtree(place)
    return Result(kills)


def _kill_one(command: Command, given: Path, out: Path, env: Mapping[str, str], after_s: float, group: bool) -> int:
    """Starts the command and kills it, or its whole group, after so many seconds. Returns 0 when it had ended."""
    words = argv(*command.words(given, out))
    child = subprocess.Popen(words, env=env, cwd=working_directory(out), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        child.wait(after_s)
        return 0
    except subprocess.TimeoutExpired:
        os.kill(-child.pid if group else child.pid, signal.SIGKILL)
        child.wait()
        return 1


def _names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} if directory.is_dir() else set()


def _partial(out: Path) -> list[str]:
    """Files that were begun and not finished. A lock stays, as its file is never removed."""
    names = [path.name for path in out.rglob("*") if path.suffix != ".lock"]
    return [name for name in names if name.startswith(".") or name.endswith(".partial")]
