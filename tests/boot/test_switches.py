# SPDX-License-Identifier: GPL-2.0-only
"""A profile is refused if the plugin misses the kernel's task switch. The guest's run times then decide."""

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.planted import own_cache, stock_kernel
from elftools.elf.elffile import ELFFile

from kassay import answers, pipeline
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.model.reason_texts import reason_text
from kassay.run.symbols import plugin_points
from tests.boot.conftest import OLD, Kassay, restored, share_snapshots

pytestmark = pytest.mark.boot
SAVE, LOAD = bytes.fromhex("4889a7"), bytes.fromhex("488ba6")
"""mov %rsp,disp32(%rdi); mov disp32(%rsi),%rsp: the two instructions that the plugin knows a task switch by."""
REX_X = 2
"""A bit of the prefix that means nothing without an index register: another code of the same instruction."""


@pytest.fixture
def other_switch(tmp_path: Path) -> Iterator[Path]:
    """A stock kernel that switches tasks by the same instructions in another code, in a cache of its own."""
    stock = stock_kernel(tmp_path)
    made = bytearray(stock.vmlinux)
    segments = [s for s in ELFFile(io.BytesIO(stock.vmlinux)).iter_segments() if s["p_type"] == "PT_LOAD"]
    found = re.search(rb"(?s)%b.{4}%b" % (re.escape(SAVE), re.escape(LOAD)), stock.vmlinux)
    assert found is not None and any(0 <= found.start() - s["p_offset"] < s["p_filesz"] for s in segments)
    for at in (found.start(), found.end() - len(LOAD)):
        made[at] |= REX_X
    stock.path.write_bytes(made)
    yield stock.path
    shutil.rmtree(tmp_path)  # kernels are large, and pytest would keep those of three sessions


def test_a_kernel_that_switches_tasks_by_other_instructions(kassay: Kassay, other_switch: Path, tmp_path: Path) -> None:
    kernel = f"image:{other_switch}"
    (tmp_path / "e.toml").write_text(restored("mprotect_toggle", kernel, settings={"size": "16MiB"}, background=1))
    environment = own_cache(tmp_path)
    share_snapshots(tmp_path / "cache" / "kassay")
    ran = kassay("run", str(tmp_path / "e.toml"), "--out", str(tmp_path / "d"), env=environment)
    assert ran.status == 0, ran.err
    findings = answers.findings(tmp_path / "d")
    assert {finding.verdict for finding in findings} == {"contaminated"}
    reason = reason_text(findings[0].reasons[0])
    assert "most of it kassay-spin" in reason
    assert re.search(r"the profile is not used: the plugin could not follow \d+ of \d+ task switches", reason), reason


@pytest.mark.parametrize(("cpus", "words"), [(1, "the plugin did not see task switches"), (2, "saw 0 task switches")])
def test_a_kernel_whose_task_switch_has_another_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cpus: int, words: str
) -> None:
    def without(*arguments: Any) -> bytes:
        lines = plugin_points(*arguments).splitlines(keepends=True)
        kept = [line for line in lines if not line.startswith(b"switch ")]
        assert len(kept) == len(lines) - 1
        return b"".join(kept)

    monkeypatch.setattr("kassay.run.measurer.plugin_points", without)
    experiment = Experiment(
        name="switch", question="value", kernels=(KernelUse(ref=OLD),), cpus=(cpus,), repeats=1, perturb=0,
        workloads=(WorkloadUse(name="mprotect_toggle", axes=(Axis(name="size", values=("16MiB",)),)),),
        background=2 * cpus, boot="snapshot",
    )  # fmt: skip
    pipeline.measure(experiment, tmp_path / "d", silent)
    findings = answers.findings(tmp_path / "d")
    assert {finding.verdict for finding in findings} == {"contaminated"}
    why = findings[0].reasons[0]
    assert why.code == "others-took-time" and str(why["task"]).startswith("kassay-spin")
    assert words in str(why["problem"]), why
