# SPDX-License-Identifier: GPL-2.0-only
"""Bisection on real kernels of the archive: the step of DESIGN.md, a kill in the middle, and `git bisect run`."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kassay.tools.search import log as searchlog
from tests.boot.conftest import RESTORED, Kassay, command
from tests.histories import commit, git

pytestmark = [pytest.mark.boot, pytest.mark.network]

RANGE = ("--good", "debian:6.12", "--bad", "debian:6.19", "--every", "series", "--steps", "largest", *RESTORED,
         "--perturb", "1")  # fmt: skip


@pytest.fixture(scope="module")
def found(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """6.12 to 6.19, killed with its group after the first boot and run again."""
    out = tmp_path_factory.mktemp("bisect") / "out"
    words = ("bisect", "mprotect_toggle", *RANGE, "--out", str(out))
    child = subprocess.Popen(command(*words), start_new_session=True, stderr=subprocess.DEVNULL)
    log = out / searchlog.LOG
    while not (log.exists() and log.stat().st_size):
        assert child.poll() is None
        time.sleep(0.2)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    before = log.read_bytes()
    ran = kassay(*words)
    assert ran.status == 0, ran.err
    assert log.read_bytes().startswith(before)
    return out


def test_the_release_is_found_after_a_kill(found: Path) -> None:
    report = json.loads((found / "report.json").read_text())
    search = report["bisection"]
    (step,) = search["steps"]
    assert search["candidates"][step["first"]]["name"].startswith("6.17.")
    assert search["candidates"][step["last_without"]]["name"].startswith("6.16.")
    assert search["introduced"] == "v6.16..v6.17"
    assert search["measured"] <= 5 and search["boots"] == len(search["observations"])
    assert 2.1 < step["after"] / step["before"] < 2.3
    (finding,) = [f for f in report["findings"] if f["primary"]]
    assert (finding["verdict"], finding["evidence"]) == ("regression", "exact")
    assert "is the first release with the change" in report["verdict"]


def test_the_log_is_replayed_to_the_same(kassay: Kassay, found: Path) -> None:
    ran = kassay("bisect", "--replay", str(found))
    assert ran.status == 0 and "every decision comes to the same" in ran.out


def test_page_and_mail_have_the_search(kassay: Kassay, found: Path) -> None:
    texts = (found / "report.html").read_text(), kassay("report", str(found), "--format", "mail").out
    page, mail = (" ".join(text.split()) for text in texts)
    assert "first release with the change" in page and "first release with the change" in mail
    assert "#regzbot introduced: v6.16..v6.17" in mail


def test_git_bisect_run_finds_the_commit(tmp_path: Path) -> None:
    """Commits whose file names a kernel, in place of their sources."""
    tree = tmp_path / "tree"
    tree.mkdir()
    git(tree, "init", "--quiet")
    line = []
    for number, ref in enumerate(("debian:6.12", "debian:6.16", "image:/dev/null/none", "debian:6.17", "debian:6.17")):
        (tree / "kernel").write_text(ref)
        line.append(commit(tree, f"commit {number}"))
    step = command("bisect", "--step", "mprotect_toggle", "--good", "debian:6.12", "--bad", "debian:6.17", *RESTORED)
    script = tmp_path / "step"
    words = " ".join(f"'{word}'" for word in (*step, "--out", str(tmp_path / "out")))
    script.write_text(f"#!/bin/sh\ngrep -q image: kernel && exit 125\nexec {words} --head $(cat kernel)\n")
    script.chmod(0o755)
    git(tree, "bisect", "start", line[4], line[0])
    running = ("git", "-C", str(tree), "bisect", "run", str(script))
    said = subprocess.run(running, capture_output=True, text=True).stdout  # 2 where the skipped one may be it
    assert "only 'skip'ped commits left" in said and line[2] in said and line[3] in said, said
    assert "good: " in said and "instructions/page; good end" in said
    log = git(tree, "bisect", "log")
    assert f"git bisect good {line[1]}" in log and f"git bisect bad {line[3]}" in log
