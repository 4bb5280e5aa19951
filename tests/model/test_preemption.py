# SPDX-License-Identifier: GPL-2.0-only
"""The preemption model is that of the parameters where the kernel obeys them, and else that of the configuration."""

import pytest

from kassay.model.configuration import configured
from kassay.model.kernel import KernelIdentity
from kassay.model.preemption import boot_models, booted, common_model

DYNAMIC = "CONFIG_PREEMPT_DYNAMIC=y\n"


def kernel(release: str, text: str, arch: str = "x86_64") -> KernelIdentity:
    return KernelIdentity(ref="image:/k", arch=arch, release=release, image_sha256=None, configuration=configured(text))


@pytest.mark.parametrize(
    ("release", "text", "arch", "models"),
    [
        ("6.1.192-cloud-amd64", f"CONFIG_PREEMPT_VOLUNTARY=y\n{DYNAMIC}", "x86_64", ("voluntary", "full", "none")),
        ("6.16.12", f"CONFIG_PREEMPT_LAZY=y\n{DYNAMIC}", "x86_64", ("lazy", "full", "none", "voluntary")),
        ("6.16.12", f"CONFIG_PREEMPT_VOLUNTARY=y\n{DYNAMIC}", "arm64", ("voluntary", "full", "none")),
        ("7.0.13", f"CONFIG_PREEMPT_LAZY=y\n{DYNAMIC}", "x86_64", ("lazy", "full")),
        ("7.3.4", "CONFIG_PREEMPT=y\n", "x86_64", ("full",)),
        ("6.12.1", f"CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT=y\n{DYNAMIC}", "x86_64", ("full",)),
    ],
)
def test_the_models_that_a_kernel_can_boot_with(release: str, text: str, arch: str, models: tuple[str, ...]) -> None:
    found = boot_models(kernel(release, text, arch))
    assert found[0] == models[0] and set(found) == set(models)


def test_a_kernel_of_unknown_configuration_has_no_model() -> None:
    unknown = KernelIdentity(ref="image:/k", arch="x86_64", release="6.1", image_sha256=None)
    assert boot_models(unknown) == () and booted(unknown, "preempt=full") is None


@pytest.mark.parametrize(
    ("release", "cmdline", "model"),
    [
        ("6.16.12", "quiet preempt=full", "PREEMPT"),
        ("6.16.12", "preempt=full preempt=none", "PREEMPT_NONE"),
        ("6.16.12", "quiet", "PREEMPT_LAZY"),
        ("6.16.12", "rcu_preempt=full", "PREEMPT_LAZY"),
        ("7.0.1", "preempt=none", "PREEMPT_LAZY"),  # "Dynamic Preempt: unsupported mode: none"
    ],
)
def test_the_model_of_a_boot(release: str, cmdline: str, model: str) -> None:
    settings = booted(kernel(release, f"CONFIG_PREEMPT_LAZY=y\nCONFIG_HZ=250\n{DYNAMIC}"), cmdline)
    values = {item.name: item.value for item in settings or ()}
    assert (values["preemption"], values["HZ"]) == (model, "250")


def test_most_kernels_decide_then_the_first() -> None:
    assert common_model([("voluntary", "full", "none"), ("lazy", "full"), ("full",)]) == "full"
    assert common_model([("lazy", "full"), ("lazy", "full", "none")]) == "lazy"
    assert common_model([("voluntary",), ("lazy",)]) == "voluntary"
    assert common_model([(), ()]) == ""
