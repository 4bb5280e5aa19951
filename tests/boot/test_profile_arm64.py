# SPDX-License-Identifier: GPL-2.0-only
"""The plugin counts an arm64 guest: a bare program of which every count is known, in a real QEMU."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.tables import points
from kassay.model.guest import GuestReport, PhaseRounds
from kassay.model.profile import FunctionCost, Profile
from kassay.supply.arches import arch_of
from kassay.supply.machines._plugin import plugin
from kassay.supply.machines._qemu import version

pytestmark = pytest.mark.boot
ROUNDS, TURNS, LOADED_AT = 3, 100, 0x40200000
PROGRAM = f"""
.arch armv8-a+lse
start:	movz xzr, #0x4b53
	movz xzr, #0x4b4e
	movz xzr, #0x4b4e
	adr x3, data
	mov x5, #{ROUNDS}
	movz xzr, #0x4b42
	b next
next:	movz xzr, #0x4b50
	b 1f
1:	bl work
	movz xzr, #0x4b50
	subs x5, x5, #1
	b.ne next
	movz xzr, #0x4b45
	movz x0, #0x8400, lsl #16
	movk x0, #8
	hvc #0
work:	mov x9, x30
	mov x0, #{TURNS}
1:	add x1, x1, #1
	subs x0, x0, #1
	b.ne 1b
	ldadd x1, x2, [x3]
2:	ldxr x6, [x3]
	stxr w7, x6, [x3]
	cbnz w7, 2b
	tlbi vmalle1
	adr x8, leaf
	blr x8
	ret x9
leaf:	ret
	.balign 16
data:	.quad 0
"""
WORK = 2 + 3 * TURNS + 1 + 3 + 1 + 3


def assembled(place: Path) -> tuple[bytes, dict[str, int]]:
    (place / "p.s").write_text(PROGRAM)
    subprocess.run(("clang", "--target=aarch64-linux-gnu", "-c", "-o", f"{place}/p.o", f"{place}/p.s"), check=True)
    with (place / "p.o").open("rb") as file:
        elf = ELFFile(file)
        text, symbols = elf.get_section_by_name(".text"), elf.get_section_by_name(".symtab")
        assert text is not None and symbols is not None
        return bytes(text.data()), {s.name: s["st_value"] for s in symbols.iter_symbols() if s.name}  # type: ignore[attr-defined]


@pytest.fixture(scope="module", params=["counts", "stacks", "memory"])
def counted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Profile:
    place = tmp_path_factory.mktemp("arm64")
    code, at = assembled(place)
    (place / "p.bin").write_bytes(code)
    starts = sorted((at[name], name) for name in ("start", "next", "work", "leaf", "data"))
    lines = "".join(f"{LOADED_AT + a:x} {b - a:x} 0 {name}\n" for (a, name), (b, _) in pairwise(starts))
    table = f"symbols 1 program\n{lines}".encode()
    (place / "points").write_text(points([table], arch_of("arm64"), functions=True))
    library = plugin("arm64", version("arm64"))
    subprocess.run(
        ("qemu-system-aarch64", "-M", "virt", "-cpu", "max", "-accel", "tcg,thread=single",
         "-icount", "shift=0,sleep=off", "-nodefaults", "-display", "none", "-no-reboot",
         "-device", f"loader,file={place}/p.bin,addr={LOADED_AT:#x},cpu-num=0,force-raw=on",
         "-plugin", f"{library},mode={request.param},out={place}/profile,points={place}/points"),
        check=True, timeout=60,
    )  # fmt: skip
    report = GuestReport(
        workload="bare", clock="monotonic", ticks_per_second=1, overhead_ticks=0, requirements=(), files=(), check="ok",
        phases=(PhaseRounds(phase="work", operations=1, ticks=(1,) * ROUNDS),), intervals=("work",),
    )  # fmt: skip
    raw = parse((place / "profile").read_bytes())
    assert raw.target == "aarch64"
    return profile_of(raw, Symbols.load([table], {}), report, phase="work", rounds=[0, 2], kernel="bare", run="r")


def cost(counted: Profile, function: str) -> FunctionCost:
    return next(one for one in counted.functions if one.function == function)


def test_every_instruction_is_counted(counted: Profile) -> None:
    assert counted.problem == ""
    assert (cost(counted, "work").instructions, cost(counted, "work").calls) == (2 * WORK, 2)
    assert (cost(counted, "leaf").instructions, cost(counted, "leaf").calls) == (2, 2)


def test_atomics_and_tlb_maintenance_are_counted_apart(counted: Profile) -> None:
    work = cost(counted, "work")
    assert (work.atomics, work.tlb) == (2 * 2, 2)  # ldadd, and the store of the exclusive pair
    # QEMU makes the store of an exclusive pair a compare and exchange, which loads as well.
    expected = (2 * 3, 2 * 2) if counted.mode == "memory" else (None, None)
    assert (work.loads, work.stores) == expected


def test_calls_are_known_direct_and_through_a_register(counted: Profile) -> None:
    edges = {(edge.caller, edge.callee): (edge.calls, edge.indirect) for edge in counted.edges}
    assert edges["next", "work"] == (2, False)
    assert edges["work", "leaf"] == (2, True)


def test_the_call_tree_follows_them(counted: Profile) -> None:
    assert (counted.stacks is None) == (counted.mode != "stacks")
    counts = {one.path: one.count for one in counted.stacks or ()}
    assert counts.get(("user", "next", "work", "leaf")) == (2 if counted.mode == "stacks" else None)
