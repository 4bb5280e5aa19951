# SPDX-License-Identifier: GPL-2.0-only
"""The example workflows, step by step as a runner executes them, on a tree with a cheap and a dear commit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kassay.journal.directory import open_directory
from kassay.model.build import parse_build
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.building import git
from kassay.supply.building.source import source_tree

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(3000)]
ROOT = Path(__file__).parent.parent.parent
SUITE = """
summary = "two settings"

[[workloads]]
name = "folio_write_protect"
[workloads.set]
size = "2MiB"
order = ["0", "9"]
"""


class Tree:
    """A git tree that has the kernel's objects from kassay's own store, and commits of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.base, _ = source_tree(parse_build(parse_ref("build:debian-source:7.3", "x86_64").locator), silent)
        self._git("init", "-q", "-b", "main", str(path), where=path.parent)
        (path / ".git" / "objects" / "info" / "alternates").write_text(f"{git.store() / 'objects'}\n")
        self.commit("main", self.base, None)

    def commit(self, branch: str, tree: str, parent: str | None) -> None:
        words = ("commit-tree", tree, "-m", branch, *(("-p", parent) if parent else ()))
        commit = self._git(*words).strip()
        self._git("update-ref", f"refs/heads/{branch}", commit)
        self._git("update-ref", f"refs/remotes/origin/{branch}", commit)

    def edit(self, branch: str, before: str, after: str) -> None:
        text = git.read(self.base, "mm/mprotect.c")
        assert text is not None and before in text
        self.commit(branch, git.with_files(self.base, {"mm/mprotect.c": text.replace(before, after)}), "main")
        self._git("symbolic-ref", "HEAD", f"refs/heads/{branch}")

    def _git(self, *words: str, where: Path | None = None) -> str:
        named = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ("git", *named, *words), cwd=where or self.path, capture_output=True, text=True, check=True
        )
        return done.stdout

    def revision(self, name: str) -> str:
        return self._git("rev-parse", name).strip()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("gate") / "linux")


def installed(place: Path) -> Path:
    """A directory that looks like an installed checkout: its program is that of this interpreter."""
    program = place / ".venv" / "bin" / "kassay"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from kassay.cli import main; main()" "$@" --suite tiny\n')
    program.chmod(0o755)
    (place / "more" / "suites").mkdir(parents=True)
    (place / "more" / "suites" / "tiny.toml").write_text(SUITE)
    return place


def executed(script: str, tree: Tree, place: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """One step of a job: its script in a shell that ends at the first error, as both runners do."""
    env = os.environ | {"KASSAY": str(place), "KASSAY_PATH": str(place / "more"), **variables}
    return subprocess.run(("bash", "-eo", "pipefail", "-c", script), cwd=tree.path, env=env, text=True,
                          capture_output=True)  # fmt: skip


def step(path: str) -> str:
    """The step of an example that measures."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "examples" / "ci" / path).read_text())
    if path == "github.yml":
        (found,) = (one["run"] for one in read["jobs"]["cost"]["steps"] if one.get("name") == "Measure")
        assert read["permissions"] == {"contents": "read"}  # a fork has no more
        return str(found)
    assert set(read["cost"]["artifacts"]["reports"]) == {"junit", "metrics"}
    return "\n".join(read["cost"]["script"])


def test_a_comment_passes_on_github(tree: Tree, tmp_path: Path) -> None:
    place = installed(tmp_path / "kassay")
    tree.edit("comment", "/* Set nr_ptes number", "/* Sets nr_ptes number")
    summary = tmp_path / "summary"
    ended = executed(step("github.yml"), tree, place, GITHUB_ACTIONS="true", GITHUB_BASE_REF="main",
                     GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "the same kernel, byte for byte" in summary.read_text()
    assert "::error" not in ended.stdout


def test_a_loss_fails_on_gitlab_and_is_annotated_on_github(tree: Tree, tmp_path: Path) -> None:
    place = installed(tmp_path / "kassay")
    tree.edit("loss", "\t\t\tnr_ptes = mprotect_folio_pte_batch(folio, pte, oldpte, max_nr_ptes, flags);\n",
              "\t\t\tnr_ptes = 1 + 0 * flags;\n")  # fmt: skip
    ended = executed(step("gitlab.yml"), tree, place, CI_MERGE_REQUEST_DIFF_BASE_SHA=tree.revision("main"))
    assert ended.returncode == 1, ended.stderr
    kept = tree.path / "kassay-ci"
    answer = json.loads((kept / "ci.json").read_text())
    over = {
        s["value"] for row in answer["cells"] if row["over"] for s in row["cell"]["settings"] if s["name"] == "order"
    }
    assert over == {"9"}
    assert (kept / "metrics.txt").read_text().endswith("# EOF\n")
    folder = open_directory(kept / "screen")
    taken = {record.run for record in folder.records() if record.reused}
    of_base = {cell.id for cell in folder.plan.cells if cell.kernel == 0}
    assert taken == {run.id for run in folder.plan.runs if run.cell in of_base}  # no head makes them again
    summary = tmp_path / "summary"
    again = executed(step("github.yml"), tree, place, GITHUB_ACTIONS="true", GITHUB_BASE_REF="main",
                     GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert again.returncode == 1
    assert "::error file=mm/mprotect.c,line=" in again.stdout
    assert summary.read_text().startswith("### kassay: ")
    entry = 'workload = "folio_write_protect"\nsetting = "order=9"\nlimit = "400 %"\nreason = "a test"\n'
    limits = tmp_path / "limits.toml"
    limits.write_text(f"[[limit]]\n{entry}")
    script = step("github.yml").replace(" --budget", f" --limits {limits} --budget")
    assert executed(script, tree, place, GITHUB_BASE_REF="main").returncode == 0
