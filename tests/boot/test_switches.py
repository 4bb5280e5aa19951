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

from kassay import pipeline
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.run.symbols import plugin_points
from tests.boot.conftest import OLD, ONCE, Kassay

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
    ran = kassay("compare", "mprotect_toggle", f"image:{other_switch}", f"image:{other_switch}", "--background", "1",
                 "--set", "size=16MiB", "--rounds", "4", *ONCE, "--boot", "snapshot",
                 "--out", str(tmp_path / "d"), env=own_cache(tmp_path))  # fmt: skip
    assert ran.status == 0, ran.err
    findings = ran.json()["findings"]
    assert {finding["verdict"] for finding in findings} == {"contaminated"}
    reason = findings[0]["reasons"][0]
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
        name="switch", question="compare", kernels=(KernelUse(ref=OLD), KernelUse(ref=OLD)), cpus=(cpus,),
        workloads=(WorkloadUse(name="mprotect_toggle", axes=(Axis(name="size", values=("16MiB",)),)),),
        repeats=1, perturb=0, background=2 * cpus, boot="snapshot",
    )  # fmt: skip
    pipeline.measure(experiment, tmp_path / "d", silent)
    findings = pipeline.answer(tmp_path / "d").findings
    assert {finding.verdict for finding in findings} == {"contaminated"}
    why = findings[0].reasons[0]
    assert why.code == "others-took-time" and str(why["task"]).startswith("kassay-spin")
    assert words in str(why["problem"]), why
