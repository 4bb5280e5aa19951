# SPDX-License-Identifier: GPL-2.0-only
"""--match preempt gives a parameter to the kernels that need one and can take it."""

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.model.configuration import configured
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef
from kassay.model.progress import Progress, silent
from kassay.supply.prepare.match import match_preemption

DYNAMIC = "CONFIG_PREEMPT_DYNAMIC=y\n"
TEXTS = {
    "6.1": f"CONFIG_PREEMPT_VOLUNTARY=y\n{DYNAMIC}",
    "7.3": f"CONFIG_PREEMPT_LAZY=y\n{DYNAMIC}",
    "6.12": "CONFIG_PREEMPT_NONE=y\n",
}


def experiment(*names: str, cmdline: str = "") -> Experiment:
    kernels = tuple(KernelUse(ref=f"debian:{name}", cmdline=cmdline) for name in names)
    return Experiment(
        name="e", question="ladder", kernels=kernels, workloads=(WorkloadUse(name="mprotect_toggle"),)
    )  # fmt: skip


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(refs: list[KernelRef], flavour: str, tell: object) -> list[KernelArtifact]:
        return [
            KernelArtifact(
                identity=KernelIdentity(
                    ref=f"debian:{ref.locator}", arch="x86_64", release=ref.locator, image_sha256=None,
                    configuration=configured(TEXTS[ref.locator]),
                ), directory="", image="",
            ) for ref in refs
        ]  # fmt: skip

    monkeypatch.setattr("kassay.supply.kernels.fetch", fetch)


def test_each_kernel_that_differs_and_can_choose_has_the_parameter() -> None:
    told: list[Progress] = []
    found = match_preemption(experiment("6.1", "7.3", "6.12", cmdline="nokaslr"), told.append)
    assert [use.cmdline for use in found.kernels] == ["nokaslr preempt=full", "nokaslr preempt=full", "nokaslr"]
    assert told[-1].text == "preemption: none, which cannot be changed"


def test_kernels_of_one_model_stay_as_they_are() -> None:
    asked = experiment("7.3", "7.3")
    assert match_preemption(asked, silent) == asked


def test_a_parameter_of_the_user_is_not_overruled() -> None:
    asked = experiment("6.1", "7.3")
    given = structs.replace(asked.kernels[1], cmdline="preempt=full")
    with pytest.raises(BadInput, match="preempt=, too"):
        match_preemption(structs.replace(asked, kernels=(asked.kernels[0], given)), silent)
