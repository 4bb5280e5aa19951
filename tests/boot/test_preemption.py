# SPDX-License-Identifier: GPL-2.0-only
"""The kernels of the archive obey preempt= as the rules say, and a matched comparison names no other model."""

import re
import subprocess
from pathlib import Path

import pytest

from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.preemption import boot_models
from kassay.model.progress import silent
from kassay.supply import kernels as kernel_store
from tests.boot.conftest import NEW, OLD, ONCE, RESTORED, Kassay, answered, restored

pytestmark = pytest.mark.boot
MODEL = re.compile(r"Dynamic Preempt: (unsupported mode: )?(\w+)")


def console(kernel: KernelArtifact, model: str) -> str:
    """Text that the kernel prints until it has named its model; all that it prints if it never does."""
    machine = ("qemu-system-x86_64", "-M", "q35", "-m", "256", "-nographic", "-no-reboot", "-nic", "none")
    words = ("-kernel", kernel.image, "-append", f"console=ttyS0 panic=-1 preempt={model}")
    said = []
    with subprocess.Popen((*machine, *words), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          errors="replace") as emulator:  # fmt: skip
        assert emulator.stdout is not None
        for line in emulator.stdout:
            said.append(line)
            if MODEL.search(line):
                emulator.kill()
    return "".join(said)


@pytest.mark.parametrize("version", ["6.1", "6.17", "7.3"])
def test_the_rules_are_those_of_the_kernels(version: str) -> None:
    (kernel,) = kernel_store.fetch((parse_ref(f"debian:{version}", "x86_64"),), "cloud", silent)
    for model in ("none", "full", "lazy"):
        said = MODEL.search(console(kernel, model))
        assert said is not None and said[2] == model
        assert (said[1] is None) == (model in boot_models(kernel.identity)), model


def test_two_kernels_with_one_model_do_not_differ_in_it(kassay: Kassay, tmp_path: Path) -> None:
    """The model that both can have is that of 6.12, voluntary; 6.17 is lazy."""
    asked = restored("mprotect_toggle", OLD, NEW, settings={"size": "2MiB"}, profile="none", rounds=8)
    apart = answered(asked, tmp_path / "apart")
    words = ("compare", "mprotect_toggle", OLD, NEW, *RESTORED, *ONCE, "--profile", "none", "--match", "preempt")
    matched = kassay(*words, "--out", str(tmp_path / "matched")).json()
    differing = [
        {item["name"]: item for f in report["findings"] for item in f.get("confounders", ())}
        | {item["name"]: item for item in report["confounders"]} for report in (apart, matched)
    ]  # fmt: skip
    assert "preemption" in differing[0] and "preemption" not in differing[1]
    assert apart["findings"][0]["head_value"] != matched["findings"][0]["head_value"]
