# SPDX-License-Identifier: GPL-2.0-only
"""Runs the commands of a thread, and keeps the figures that its questions ask for."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from benchmarks._kassay import argv
from benchmarks.threads.questions import HERE, Run, Thread, selectors
from benchmarks.threads.select import Figure, select

MEASURED = HERE / "measured"


class Kept(msgspec.Struct):
    """Figures and evidence of one run, as stored."""

    command: str
    evidence: str
    """How good the figures are, by how many runs, on which kernels and by which compiler."""
    figures: dict[str, Figure]
    """By path."""


def stored(thread: Thread) -> dict[str, Kept]:
    """Stored figures by run; empty if nothing was measured."""
    path = MEASURED / f"{thread.name}.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Kept]) if path.exists() else {}


def store(thread: Thread, kept: dict[str, Kept]) -> None:
    MEASURED.mkdir(exist_ok=True)
    ordered = {run.name: kept[run.name] for run in thread.run if run.name in kept}
    raw = json.dumps(msgspec.to_builtins(ordered), indent=1, ensure_ascii=False)
    (MEASURED / f"{thread.name}.json").write_text(raw + "\n")


def paths_of(thread: Thread, run: Run) -> list[str]:
    """Paths into the answer of a run that the thread's questions ask for."""
    asked = [text.split(": ", 1) for question in thread.question for text in selectors(question)]
    return list(dict.fromkeys(path for name, path in asked if name == run.name))


def measure(thread: Thread, run: Run) -> Kept:
    """Run one command, or continue it, and take its figures."""
    directory = thread.directory(run.name)
    words = run.words(directory, thread.places)
    if run.only_writes:
        _kassay(*words)
        return Kept(thread.shown(run), "", {})
    printed = _kassay(*words, *(("--format", "json") if run.prints else ()))
    answer: Any = json.loads(printed if run.prints else _kassay("report", str(directory), "--format", "json"))
    figures = {path: select(answer, path) for path in paths_of(thread, run)}
    return Kept(thread.shown(run), evidence(answer), figures)


def evidence(answer: Any) -> str:
    """Degree, runs, kernels, compilers and machine behind a report. Empty for an answer that is no report."""
    if not isinstance(answer, dict) or "findings" not in answer or "kernels" not in answer:
        return ""
    kernels = [kernel["release"].split("+")[0].split("-")[0] for kernel in answer["kernels"]]
    compilers = sorted({_compiler(kernel["compiler"]) for kernel in answer["kernels"]})
    degrees = sorted({finding["evidence"] for finding in answer["findings"]})
    runs = sorted({f"{finding['n_base']} + {finding['n_head']}" for finding in answer["findings"]})
    machine = answer["machine"]
    parts = [", ".join(degrees), f"n {', '.join(runs)}", ", ".join(dict.fromkeys(kernels)), ", ".join(compilers)]
    return "; ".join([*parts, f"{machine['arch']}, {machine['clock']}"])


def _compiler(banner: str | None) -> str:
    if banner is None:
        return "compiler not known"
    name = banner.split()[0].removeprefix("x86_64-linux-gnu-").removeprefix("aarch64-linux-gnu-")
    return f"{name.split('-')[0]} {banner.split(',')[0].split()[-1]}"


def _kassay(*words: str) -> str:
    """Standard output of one command. Its progress goes to this one's standard error."""
    ended = subprocess.run(argv(*words), stdout=subprocess.PIPE, text=True)
    if ended.returncode:
        sys.exit(f"kassay {' '.join(words)}: exit status {ended.returncode}")
    return ended.stdout


def draft(thread: Thread) -> str:
    """The mail of the thread, as kassay's --format mail writes it."""
    words = thread.mail.format_map(thread.places).split()
    return _kassay(*words, "--format", "mail").replace(str(Path.cwd()) + "/", "")


def all_of(thread: Thread, again: bool) -> dict[str, Kept]:
    """Every run of a thread. Runs whose command and paths are those of before are not looked at again."""
    kept = stored(thread)
    for number, run in enumerate(thread.run, 1):
        before = kept.get(run.name)
        is_known = before is not None and before.command == thread.shown(run)
        is_known = is_known and set(before.figures) == set(paths_of(thread, run)) if before else False
        print(f"{thread.name} {number}/{len(thread.run)} {run.name}: ", end="", file=sys.stderr, flush=True)
        if is_known and not again:
            print("known", file=sys.stderr)
            continue
        print(f"about {run.seconds} s", file=sys.stderr, flush=True)
        began = time.monotonic()
        kept[run.name] = measure(thread, run)
        store(thread, kept)
        print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr)
    store(thread, kept)
    return kept
