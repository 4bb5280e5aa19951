# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every architecture that discovery finds."""

import re

import capstone
import pytest

from kassay.errors import BadInput
from kassay.evidence.profile.entries import entry_of
from kassay.evidence.profile.tables import points
from kassay.supply.arches import Arch, arch_of, arches, of_machine, of_target
from kassay.supply.building.config import lab_config
from kassay.supply.guest import sources
from kassay.supply.machine_code.code import decoder_of
from kassay.supply.machines._plugin import contributed

each = pytest.mark.parametrize("arch", arches().values(), ids=arches())


@each
def test_it_is_found_by_every_name_that_others_have_for_it(arch: Arch) -> None:
    assert arch_of(arch.name) is arch
    assert of_machine(arch.uname) is arch
    assert of_target(arch.qemu.target) is arch
    assert sum(other.elf == arch.elf for other in arches().values()) == 1


@each
def test_sizes_are_whole(arch: Arch) -> None:
    assert arch.page_bytes in (4096, 16384, 65536)
    assert 1 <= arch.qemu.most_cpus <= 255


@each
def test_the_machine_has_a_version_and_its_model_is_named(arch: Arch) -> None:
    options = dict(zip(arch.qemu.machine[::2], arch.qemu.machine[1::2], strict=True))
    assert re.search(r"-\d+\.\d+$", options["-M"])
    assert arch.qemu.cpu and arch.qemu.console and arch.qemu.stream and arch.qemu.stream_device.startswith("/dev/")


@each
def test_what_belongs_to_it_in_other_roots_is_there(arch: Arch) -> None:
    assert arch.name in sources.arches()
    assert f"arch-{arch.name}.c" in contributed()
    assert lab_config(arch.name).is_file()


@each
def test_its_code_can_be_taken_apart(arch: Arch) -> None:
    assert capstone.Cs(*(getattr(capstone, name) for name in arch.code.capstone))
    decoder = decoder_of(arch.name)
    assert decoder.without_padding(b"") == b""
    assert decoder.indirect and decoder.tables
    assert re.compile(arch.code.thunks) and re.compile(arch.code.return_thunks)
    assert arch.code.kind("nop", "") == ""
    assert arch.code.ending("nop", "") == ("other", None)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
def test_only_the_host_s_own_architecture_is_built_for_without_a_cross_compiler(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    for arch in arches.__wrapped__().values():
        build = arch.build
        if arch.uname == machine:
            assert (build.cross, build.cc_package, build.tools) == ("", "", ())
            assert build.guest_packages == "gcc libc6-dev"
        else:
            name = build.triple.replace("_", "-")
            assert (build.cross, build.cc_package) == (f"{build.triple}-", f"-{name}")
            assert build.guest_packages == f"gcc-{name} libc6-dev-{arch.debian}-cross"


def test_an_unknown_architecture_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="unknown arch 'sparc'") as caught:
        arch_of("sparc")
    assert all(name in caught.value.remedy for name in arches())
    assert of_machine("sparc") is of_target("sparc") is None


@pytest.mark.parametrize(
    ("arch", "name", "lines"),
    [
        ("x86_64", "asm_exc_page_fault", ["fault 1000 1001"]),
        ("x86_64", "asm_exc_nmi", ["interrupt 1000 1001"]),
        ("x86_64", "asm_sysvec_apic_timer_interrupt", ["interrupt 1000 1001"]),
        ("x86_64", "irq_entries_start", ["interrupt 1000 1800"]),
        ("x86_64", "__x86_indirect_thunk_rax", ["thunk 1000 1800"]),
        ("x86_64", "__switch_to_asm", ["switch 1000 1800"]),
        ("x86_64", "do_mprotect_pkey", []),
        ("arm64", "cpu_switch_to", ["switch 1000 1800"]),
        ("arm64", "vectors", [f"{'interrupt' if i % 4 else 'fault'} {0x1000 + 0x80 * i:x} {0x1001 + 0x80 * i:x}"
                              for i in range(16)]),
        ("arm64", "asm_exc_page_fault", []),
    ],
)  # fmt: skip
def test_the_plugin_is_told_where_code_begins_to_run_for_somebody_else(arch: str, name: str, lines: list[str]) -> None:
    table = f"symbols 1 kernel\n1000 800 0 {name}\n".encode()
    assert points([table], arch_of(arch), functions=False).splitlines() == lines
    found = points([table], arch_of(arch), functions=True).splitlines()
    assert [line for line in found if line != "entry 1000 1001"] == [*lines, "function 1000 1800"]


@pytest.mark.parametrize(
    ("arch", "name", "entry"),
    [
        ("x86_64", "__x64_sys_mprotect", ("system call", "mprotect")),
        ("x86_64", "asm_exc_page_fault", ("fault", "page fault")),
        ("x86_64", "asm_exc_general_protection", ("fault", "general protection")),
        ("x86_64", "asm_sysvec_apic_timer_interrupt", ("interrupt", "apic timer interrupt")),
        ("x86_64", "ret_from_fork_asm", ("task start", "")),
        ("x86_64", "do_syscall_64", None),
        ("arm64", "__arm64_sys_mprotect", ("system call", "mprotect")),
        ("arm64", "el0_da", ("fault", "page fault")),
        ("arm64", "el0_undef", ("fault", "undef")),
        ("arm64", "el0t_64_irq", ("interrupt", "device interrupt")),
        ("arm64", "el0_svc", None),
    ],
)  # fmt: skip
def test_an_entry_into_the_kernel_is_known_to_the_plugin_and_by_name(
    arch: str, name: str, entry: tuple[str, str] | None
) -> None:
    table = f"symbols 1 kernel\n1000 800 0 {name}\n".encode()
    assert entry_of(name, arch_of(arch)) == entry
    assert ("entry 1000 1001\n" in points([table], arch_of(arch), functions=True)) == (entry is not None)
    assert "entry" not in points([table], arch_of(arch), functions=False)
