# SPDX-License-Identifier: GPL-2.0-only
"""One line about the CPU for kernels that agree, one for each group that does not."""

import msgspec

from kassay.model.guest import GuestCpu, NamedCpu
from kassay.model.records import Setting
from kassay.report.conditions import cpu_sentences, seen_cpus
from tests.analysis.sides import evidence, measurement

CPU = GuestCpu(
    name="QEMU Virtual CPU version 2.5+",
    features=("fpu", "nx"),
    missing=("erms", "smap"),
    vulnerabilities=(
        Setting(name="mds", value="Vulnerable: Clear CPU buffers attempted, no microcode"),
        Setting(name="meltdown", value="Not affected"),
        Setting(name="spectre_v2", value="Mitigation: Retpolines; STIBP: disabled"),
    ),
)
LINE = "without ERMS SMAP; mitigations: spectre_v2 Retpolines; not mitigated: mds."


def seen(*cpus: GuestCpu | None) -> list[str]:
    runs = [msgspec.structs.replace(measurement([100]), cpu=cpu) for cpu in cpus]
    return list(cpu_sentences(seen_cpus([evidence(f"k{i}", run, index=i) for i, run in enumerate(runs)])))


def test_kernels_that_saw_the_same_share_a_line() -> None:
    assert seen(CPU, CPU) == [f"CPU as the kernel saw it: QEMU Virtual CPU version 2.5+; {LINE}"]
    newer = msgspec.structs.replace(CPU, features=("fpu", "nx", "user_shstk"))
    assert seen(CPU, newer) == seen(CPU)


def test_kernels_that_saw_something_else_are_named() -> None:
    calm = msgspec.structs.replace(CPU, missing=(), vulnerabilities=CPU.vulnerabilities[1:2])
    assert seen(CPU, calm, CPU) == [
        f"CPU as k0, k2 saw it: QEMU Virtual CPU version 2.5+; {LINE}",
        "CPU as k1 saw it: QEMU Virtual CPU version 2.5+; not affected by any vulnerability that the kernel knows.",
    ]


def test_a_cpu_that_was_asked_for_is_named_with_what_it_lacks() -> None:
    named = NamedCpu(name="zen3", real=True, other=(Setting(name="model", value="6 instead of 1"),))
    asked = msgspec.structs.replace(CPU, name="AMD", vulnerabilities=(), named=named)
    assert seen(asked) == [
        "CPU as the kernel saw it: zen3, AMD; model 6 instead of 1; lacks ERMS SMAP, which the real one has."
    ]
    whole = msgspec.structs.replace(asked, missing=(), named=msgspec.structs.replace(named, other=()))
    assert seen(whole) == ["CPU as the kernel saw it: zen3, AMD; has all that kernels choose code by."]
    unreal = msgspec.structs.replace(asked, named=NamedCpu(name="max", real=False))
    assert seen(unreal) == ["CPU as the kernel saw it: max, AMD; without ERMS SMAP."]


def test_of_runs_that_captured_none_nothing_is_said() -> None:
    assert seen(None, None) == []
