# SPDX-License-Identifier: GPL-2.0-only
"""Which CPU a user's program finds where its time is predicted for one."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.commands._experiment import experiment_from
from kassay.commands._options import Measuring
from kassay.labs.predict.guest import (
    chosen_by_kernel,
    chosen_by_library,
    cpu_to_boot,
    features_of,
    guest_cpu,
    lacking,
    needless,
)
from kassay.labs.predict.timing import timing_for
from kassay.model.guest import GuestCpu
from kassay.model.records import Setting
from kassay.supply.cpus import cpus


def test_a_calibrated_file_is_of_the_cpu_with_its_numbers() -> None:
    assert guest_cpu(timing_for("zen4_kvm")) is cpus()["zen4"]
    assert guest_cpu(timing_for("zen3")) is cpus()["zen3"]


@pytest.mark.parametrize(
    ("predict", "arch", "booted"),
    [
        (("zen3",), "x86_64", "zen3"),
        (("zen4", "zen4_kvm"), "x86_64", "zen4"),
        (("zen3", "zen4"), "x86_64", ""),
        (("skylake_sp",), "x86_64", "skylake_sp"),
        (("icelake_sp",), "x86_64", ""),
        (("neoverse_n1",), "arm64", "neoverse_n1"),
    ],
)
def test_one_predicted_cpu_is_booted(predict: tuple[str, ...], arch: str, booted: str) -> None:
    assert cpu_to_boot(predict, arch) == booted


def test_a_program_finds_the_predicted_cpu_and_a_workload_the_usual_one(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text("int main(void) { return 0; }\n")
    kernels = ["debian:6.16", "debian:6.17"]

    def cpu(workload: str, **options: str) -> object:
        return experiment_from("compare", workload, kernels, Measuring(**options)).cpu  # type: ignore[arg-type]

    assert cpu("p", program=str(source), predict="zen3") == ("zen3",)
    assert cpu("p", program=str(source), predict="zen3", cpu="zen2") == ("zen2",)
    assert not cpu("p", program=str(source), predict="zen3,zen4")
    assert not cpu("p", program=str(source))
    assert not cpu("mprotect_toggle", predict="zen3")


def test_functions_of_the_c_library_are_known_by_their_names_if_they_take_time() -> None:
    names = ("__memmove_avx_unaligned_erms", "__strlen_sse2", "__memset_evex_unaligned", "__memchr_avx2")
    times = {name: 10.0 + place for place, name in enumerate(names)}
    others = dict.fromkeys(("memcpy", "clear_page_erms", "__memcpy", "my_avx2", "__stretch_avxel"), 100.0)
    assert chosen_by_library(times | others) == tuple(reversed(names))[:3]
    assert chosen_by_library({**times, "main": 1e6}) == ()


def test_functions_that_a_kernel_would_not_execute_on_the_real_cpu_are_known_if_they_take_time() -> None:
    times = {"memset_orig": 30.0, "rep_movs_alternative": 20.0, "memcpy_orig": 0.1, "mprotect_fixup": 50.0}
    assert chosen_by_kernel(times, cpus()["alderlake_p"]) == ("memset_orig", "rep_movs_alternative")
    assert features_of(("memset_orig", "rep_movs_alternative", "memcpy_orig")) == ("fsrs", "fsrm")
    assert chosen_by_kernel(times, cpus()["zen3"]) == ("rep_movs_alternative",)
    assert chosen_by_kernel(times, cpus()["skylake_sp"]) == chosen_by_kernel(times, None) == ()
    assert chosen_by_kernel({}, cpus()["zen3"]) == ()


SEEN = GuestCpu(
    name="a guest's",
    features=("erms", "fsrm"),
    missing=(),
    vulnerabilities=(
        Setting(name="indirect_target_selection", value="Mitigation: Aligned branch/return thunks"),
        Setting(name="meltdown", value="Mitigation: PTI"),
        Setting(name="spec_rstack_overflow", value="Vulnerable: Safe RET, no microcode"),
        Setting(name="spectre_v2", value="Mitigation: Retpolines; STIBP: disabled; RSB filling"),
    ),
)


def test_what_the_guest_lacks_is_what_the_real_cpu_has() -> None:
    assert lacking(cpus()["zen4"], SEEN) == ("avx512f",)
    assert lacking(None, SEEN) == lacking(cpus()["zen4"], None) == ()


def test_mitigations_that_only_the_emulated_cpu_has_are_known() -> None:
    used = {name: [one.mitigation for one in needless(cpu, SEEN)] for name, cpu in cpus().items()}
    assert used["sapphirerapids"] == used["alderlake_p"] == ["PTI", "Retpolines", "thunks"]
    assert used["icelake_sp"] == ["PTI", "Retpolines"]
    assert (used["zen4"], used["zen5"]) == (["Retpolines"], ["Retpolines", "Safe RET"])
    assert used["zen3"] == used["skylake_sp"] == used["qemu64"] == []
    cured = structs.replace(SEEN, vulnerabilities=(Setting(name="meltdown", value="Vulnerable"),))
    assert needless(cpus()["sapphirerapids"], cured) == needless(None, SEEN) == needless(cpus()["zen5"], None) == ()
