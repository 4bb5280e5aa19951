# SPDX-License-Identifier: GPL-2.0-only
"""Registers, accesses and kinds of x86_64 instructions agree with the vendors' manuals."""

import pytest

from kassay.labs.predict.decode import (
    BASED,
    MOVES_STACK,
    NEAR_BASE,
    PREFIXED,
    UNREADABLE,
    USES_STACK,
    Facts,
    decoder_of,
    facts,
)

DECODER = decoder_of("x86_64")

# bytes, form, kind, registers of addresses, registers read, registers written, bytes loaded, bytes stored
CASES = """
480307             add r64,m64             plain          rdi      rax            rax,cf,flags    8  0
48014708           add m64,r64             plain          rdi      rax            cf,flags        8  8
01c0               add r32,r32             plain          -        rax            rax,cf,flags    0  0
6601d8             add r16,r16             plain          -        rax,rbx        rax,cf,flags    0  0
00d8               add r8,r8               plain          -        rax,rbx        rax,cf,flags    0  0
4811f8             adc r64,r64             plain          -        rax,rdi,cf     rax,cf,flags    0  0
ffc0               inc r32                 plain          -        rax            rax,flags       0  0
31c0               xor r32,r32             zero           -        -              rax,cf,flags    0  0
31d8               xor r32,r32             plain          -        rax,rbx        rax,cf,flags    0  0
660fefc0           pxor xmm,xmm            zero           -        -              v0              0  0
89c3               mov r32,r32             move           -        rax            rbx             0  0
88c3               mov r8,r8               plain          -        rax,rbx        rbx             0  0
0fb6d8             movzx r32,r8            plain          -        rax            rbx             0  0
488b1c88           mov r64,m64             plain          rax,rcx  -              rbx             8  0
65488b042534120000 mov r64,m64             plain          bases    -              rax             8  0
488918             mov m64,r64             plain          rax      rbx            -               0  8
488d5c8808         lea r64,three           plain          -        rax,rcx        rbx             0  0
488d1d00000000     lea r64,simple          plain          -        -              rbx             0  0
0f94c0             sete r8                 plain          -        rax,flags      rax             0  0
480f45d8           cmovne r64,r64          plain          -        rax,rbx,flags  rbx             0  0
48d3e0             shl r64,cl              plain          -        rax,rcx,cf,flags rax,cf,flags  0  0
4839d8             cmp r64,r64             plain          -        rax,rbx        cf,flags        0  0
48f7e3             mul r64                 plain          -        rax,rbx        rax,rdx,cf,flags 0 0
48f722             mul m64                 plain          rdx      rax            rax,rdx,cf,flags 8 0
48f730             div m64                 plain          rax      rdx            rax,rdx,cf,flags 8 0
4899               cqo                     plain          -        rax            rdx             0  0
48ab               stosq                   plain          rdi      rax            -               0  8
c4e37d390001       vextracti128 m128,ymm,i plain          rax      v0             -               0  16
66480f3a160001     pextrq m64,xmm,i        plain          rax      v0             -               0  8
c4e2752e00         vmaskmovps m256,ymm,ymm plain          rax      v0,v1          -               0  32
c4e37d1d0000       vcvtps2ph m128,ymm,i    plain          rax      v0             -               0  16
dd18               fstp m64                plain          rax      x87.0          -               0  8
0fae18             stmxcsr m32             plain          rax      -              -               0  4
0fae10             ldmxcsr m32             plain          rax      -              -               4  0
62f17d49efc8       vpxord zmm,k,zmm,zmm    plain          -        v0,v1,k1       v1              0  0
50                 push r64                plain          rsp      rax            -               0  8
58                 pop r64                 plain          rsp      -              rax             8  0
5c                 pop r64                 plain          rsp      -              rsp             8  0
c9                 leave                   plain          rbp      -              rbp             8  0
e800000000         call i                  call           rsp      -              -               0  8
ffd0               call r64                call_indirect  rsp      rax            -               0  8
c3                 ret                     return         rsp      -              -               8  0
f3c3               ret                     return         rsp      -              -               8  0
ff20               jmp m64                 jump_indirect  rax      -              -               8  0
3effe0             jmp r64                 jump_indirect  -        rax            -               0  0
eb00               jmp i                   jump           -        -              -               0  0
7500               jne i                   branch         -        flags          -               0  0
7200               jb i                    branch         -        cf             -               0  0
e300               jrcxz i                 branch         -        rcx            -               0  0
f30f1efa           endbr64                 nop            -        -              -               0  0
660f1f440800        nop                     nop            rax,rcx  -              -               0  0
0f0d08             prefetchw m8            prefetch       rax      -              -               0  0
f3a4               rep movsb               repeat         rsi,rdi  rcx            rcx,rsi,rdi     1  1
f348ab             rep stosq               repeat         rdi      rax,rcx        rcx,rdi         0  8
48a5               movsq                   plain          rsi,rdi  -              -               8  8
f20f1007           movsd xmm,m64           plain          rdi      -              v0              8  0
480fc303           movnti m64,r64          plain          rbx      rax            -               0  8
0faee8              lfence                  fence_load     -        -              -               0  0
0faef0             mfence                  fence_full     -        -              -               0  0
0faef8             sfence                  fence_store    -        -              -               0  0
0f05               syscall                 syscall        -        -              rcx,r11         0  0
480f07             sysretq                 sysreturn      -        -              -               0  0
48cf               iretq                   sysreturn      rsp      -              cf,flags,df     40 0
0fa2               cpuid                   serialize      -        rax,rcx        rax,rcx,rdx,rbx 0  0
0f30               wrmsr                   serialize      -        rax,rcx,rdx    -               0  0
0f22d8             mov cr,r64              flush_all      -        rax            -               0  0
0f20d8             mov r64,cr              plain          -        -              rax             0  0
0f22e0             mov cr,r64              serialize      -        rax            -               0  0
0f0138             invlpg m8               flush_page     rax      -              -               0  0
660f388218         invpcid r64,m128        flush_all      rax      rbx            -               16 0
0f01f8             swapgs                  plain          -        -              -               0  0
0f01cb             stac                    plain          -        -              -               0  0
c5f5efd1           vpxor ymm,ymm,ymm       zero           -        -              v2              0  0
c5fdfed1           vpaddd ymm,ymm,ymm      plain          -        v0,v1          v2              0  0
c4e2fdb8d1         vfmadd231pd ymm,ymm,ymm plain          -        v0,v1,v2       v2              0  0
62f1fe487f08       vmovdqu64 m512,zmm      plain          rax      v1             -               0  64
c5f877             vzeroupper              plain          -        -              -               0  0
f2480f2ac0         cvtsi2sd xmm,r64        plain          -        rax,v0         v0              0  0
"""

LOCKED = """
f0834424fc00 lock add m32,i            rsp      -              cf,flags            4  4
488738       xchg m64,r64              rax      rdi            rdi                 8  8
f0480fb13e   lock cmpxchg m64,r64      rsi      rax,rdi        rax,cf,flags        8  8
f0480fc70e   lock cmpxchg16b m128      rsi      rax,rcx,rdx,rbx rax,rdx,flags      16 16
f00fc107     lock xadd m32,r32         rdi      rax            rax,cf,flags        4  4
f0480fba2f03 lock bts m64,i            rdi      -              cf,flags            8  8
"""


def rows(text: str) -> list[tuple[bytes, str, list[str]]]:
    """(bytes, form, the other columns) of each line."""
    found = []
    for line in text.strip().splitlines():
        code, form, rest = line[:19], line[19:43], line[43:].split()
        found.append((bytes.fromhex(code), form.strip(), rest))
    return found


def numbers(text: str) -> tuple[int, ...]:
    named = {DECODER.registers(number): number for number in range(69)}
    return () if text == "-" else tuple(sorted(named[name] for name in text.split(",")))


@pytest.mark.parametrize(
    ("code", "form", "rest"), rows(CASES), ids=lambda value: value if isinstance(value, str) else ""
)
def test_facts(code: bytes, form: str, rest: list[str]) -> None:
    kind, address, data, writes, load, store = rest
    found = DECODER.facts(code)
    assert (found.form, found.kind, found.locked) == (form, kind, False)
    assert (found.address_reads, found.data_reads, found.writes) == (numbers(address), numbers(data), numbers(writes))
    assert (found.load_bytes, found.store_bytes) == (int(load), int(store))


@pytest.mark.parametrize("line", LOCKED.strip().splitlines())
def test_atomics_load_and_store(line: str) -> None:
    found = DECODER.facts(bytes.fromhex(line[:13]))
    address, data, writes, load, store = line[39:].split()
    form = line[13:39].strip()
    assert found._replace(traits=0, opcode=0) == Facts(
        form, "plain", "", numbers(address), numbers(data), numbers(writes), int(load), int(store), True,
        form.startswith("xchg"),
    )  # fmt: skip


def test_an_exchange_of_registers_is_no_atomic() -> None:
    assert not DECODER.facts(bytes.fromhex("4887f8")).locked


def test_system_instructions_have_the_names_of_the_timing_files() -> None:
    names = {
        "0f05": "syscall",
        "0f22d8": "mov_cr3",
        "0f20d8": "read_cr",
        "0f01cb": "stac",
        "f390": "pause",
        "fa": "cli",
    }
    assert {code: DECODER.facts(bytes.fromhex(code)).system for code in names} == names


def test_bytes_that_are_no_instruction_have_no_facts() -> None:
    assert DECODER.facts(b"\x06") == Facts(UNREADABLE)


def test_a_block_is_taken_apart_by_its_lengths() -> None:
    assert [one.form for one in facts("x86_64", bytes.fromhex("5089c3c3"), (1, 2, 1))] == [
        "push r64",
        "mov r32,r32",
        "ret",
    ]


def test_what_intel_fuses() -> None:
    fuses = DECODER.fuses
    assert fuses("cmp r64,r64", "jne i") and fuses("test r64,r64", "js i") and fuses("dec r32", "jne i")
    assert not fuses("cmp r64,r64", "js i") and not fuses("dec r32", "jb i") and not fuses("mov r32,i", "jne i")
    assert not fuses("cmp r64,r64", "jrcxz i")


@pytest.mark.parametrize(
    ("code", "traits", "opcode"),
    [
        ("663d9b01", PREFIXED, 1),  # cmp ax, 0x19b
        ("66b89b01", 0, 1),  # mov ax, 0x19b
        ("664183fe0c", 0, 2),  # cmp r14w, 12: its immediate has 8 bits
        ("488b4018", NEAR_BASE | BASED, 1),  # mov rax, [rax + 0x18]
        ("488b8000080000", BASED, 1),  # mov rax, [rax + 2048]
        ("488b40f8", BASED, 1),  # mov rax, [rax - 8]
        ("488b0488", 0, 1),  # mov rax, [rax + rcx * 4]
        ("65488b00", BASED, 2),  # mov rax, gs:[rax]
        ("488b0500000000", 0, 1),  # mov rax, [rip]
        ("64488b0425f8ffffff", BASED, 2),  # mov rax, fs:[-8]
        ("48ff07", NEAR_BASE | BASED, 1),  # inc qword [rdi]
        ("480117", NEAR_BASE, 1),  # add [rdi], rdx: not renamed
        ("55", MOVES_STACK, 0),  # push rbp
        ("415c", MOVES_STACK | BASED, 1),  # pop r12
        ("e800000000", MOVES_STACK, 0),  # call
        ("c3", MOVES_STACK | BASED, 0),  # ret
        ("4883ec08", USES_STACK, 1),  # sub rsp, 8
        ("4889e5", USES_STACK, 1),  # mov rbp, rsp
        ("488b442408", NEAR_BASE | USES_STACK | BASED, 1),  # mov rax, [rsp + 8]
        ("c5f877", 0, 0),  # vzeroupper
    ],
)
def test_traits_of_an_instruction(code: str, traits: int, opcode: int) -> None:
    found = DECODER.facts(bytes.fromhex(code))
    assert (found.traits, found.opcode) == (traits, opcode)
