# SPDX-License-Identifier: GPL-2.0-only
"""Every command of docs/tutorial.md works, in its order, and leads to a reply. Kernels are restored from snapshots."""

import os
import re
import subprocess
from pathlib import Path
from shlex import join

import pytest

from tests.boot.conftest import command
from tests.source import ROOT

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(3000)]
CHEAPER = "--boot snapshot --perturb 1"


def test_tutorial_leads_to_a_reply(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    blocks = re.findall(r"(?ms)^```sh\n(.*?)^```$", page)
    assert len(blocks) == 5 and all(line.startswith("kassay ") for text in blocks for line in text.splitlines())
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program = tmp_path / "bin" / "kassay"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase $1 in compare|gap) set -- "$@" {CHEAPER};; esac\nexec {join(command())} "$@"\n'
    )
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"

    answers = []
    for text in blocks:
        done = subprocess.run(
            ["sh", "-e", "-c", text], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)

    _, claim, profile, fix, verified = answers
    assert "regression" in claim and "more instructions" in claim
    assert "prot_commit_flush_ptes" in profile
    assert "takes back all of what" in " ".join(fix.split())
    assert "fix.tar.zst: holds." in verified
    reply = (tmp_path / "reply.mail").read_text()
    assert reply.startswith("Subject: [PERF]") and "In-Reply-To: <20260518150105.1@example.org>" in reply
