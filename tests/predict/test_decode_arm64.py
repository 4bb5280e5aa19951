# SPDX-License-Identifier: GPL-2.0-only
"""Registers, accesses and kinds of arm64 instructions agree with the Arm Architecture Reference Manual."""

import pytest

from kassay.labs.predict.decode import UNREADABLE, Facts, decoder_of

DECODER = decoder_of("arm64")

# instruction word, form, kind, registers of addresses, registers read, registers written, bytes loaded, bytes stored
CASES = """
f9400020 | ldr x,[x]             | plain         | x1    | -           | x0      | 8  | 0
f8408c20 | ldr x,[x]!            | plain         | x1    | -           | x0      | 8  | 0
f8627820 | ldr x,[x,x]           | plain         | x1,x2 | -           | x0      | 8  | 0
39400020 | ldrb w,[x]            | plain         | x1    | -           | x0      | 1  | 0
b9800020 | ldrsw x,[x]           | plain         | x1    | -           | x0      | 4  | 0
a8c107e0 | ldp x,x,[x],i         | plain         | sp    | -           | x0,x1   | 16 | 0
a9bf7bfd | stp x,x,[x]!          | plain         | sp    | x29,x30     | -       | 0  | 16
f900003f | str x,[x]             | plain         | x1    | -           | -       | 0  | 8
3d800020 | str q,[x]             | plain         | x1    | v0          | -       | 0  | 16
c8dffc20 | ldar x,[x]            | plain         | x1    | -           | x0      | 8  | 0
c89ffc20 | stlr x,[x]            | plain         | x1    | x0          | -       | 0  | 8
d9000020 | stlur x,[x]           | plain         | x1    | x0          | -       | 0  | 8
38bfc020 | ldaprb w,[x]          | plain         | x1    | -           | x0      | 1  | 0
4c9f2000 | st1 {v.16b*4},[x],i   | plain         | x0    | v0,v1,v2,v3 | -       | 0  | 64
c85f7c20 | ldxr x,[x]            | plain         | x1    | -           | x0      | 8  | 0
8b020020 | add x,x,x             | plain         | -     | x1,x2       | x0      | 0  | 0
8b020c20 | add x,x,x,lsl         | plain         | -     | x1,x2       | x0      | 0  | 0
f1000420 | subs x,x,i            | plain         | -     | x1          | x0,nzcv | 0  | 0
eb01001f | cmp x,x               | plain         | -     | x0,x1       | nzcv    | 0  | 0
7100041f | cmp w,i               | plain         | -     | x0          | nzcv    | 0  | 0
f240001f | tst x,i               | plain         | -     | x0          | nzcv    | 0  | 0
fa410000 | ccmp x,x,i,c          | plain         | -     | x0,x1,nzcv  | nzcv    | 0  | 0
9a820020 | csel x,x,x,c          | plain         | -     | x1,x2,nzcv  | x0      | 0  | 0
9a020020 | adc x,x,x             | plain         | -     | x1,x2,nzcv  | x0      | 0  | 0
aa0103e0 | mov x,x               | move          | -     | x1          | x0      | 0  | 0
aa1f03e0 | mov x,x               | plain         | -     | -           | x0      | 0  | 0
f2a00020 | movk x,i,lsl          | plain         | -     | x0          | x0      | 0  | 0
b37d0c20 | bfi x,x,i,i           | plain         | -     | x0,x1       | x0      | 0  | 0
d3431820 | ubfx x,x,i,i          | plain         | -     | x1          | x0      | 0  | 0
93407c20 | sxtw x,w              | plain         | -     | x1          | x0      | 0  | 0
9b020c20 | madd x,x,x,x          | plain         | -     | x1,x2,x3    | x0      | 0  | 0
14000000 | b i                   | jump          | -     | -           | -       | 0  | 0
54000000 | b.c i                 | branch        | -     | nzcv        | -       | 0  | 0
b4000000 | cbz x,i               | branch        | -     | x0          | -       | 0  | 0
37180000 | tbnz w,i,i            | branch        | -     | x0          | -       | 0  | 0
94000000 | bl i                  | call          | -     | -           | x30     | 0  | 0
d63f0000 | blr x                 | call_indirect | -     | x0          | x30     | 0  | 0
d61f0000 | br x                  | jump_indirect | -     | x0          | -       | 0  | 0
d65f03c0 | ret                   | return        | -     | x30         | -       | 0  | 0
d4000001 | svc i                 | syscall       | -     | -           | -       | 0  | 0
d69f03e0 | eret                  | sysreturn     | -     | -           | -       | 0  | 0
d5182000 | msr sys,x             | plain         | -     | x0          | -       | 0  | 0
d5384100 | mrs x,sys             | plain         | -     | -           | x0      | 0  | 0
d508831f | tlbi                  | flush_all     | -     | -           | -       | 0  | 0
d50883a0 | tlbi                  | flush_page    | -     | x0          | -       | 0  | 0
d5033b9f | dsb ish               | serialize     | -     | -           | -       | 0  | 0
d5033bbf | dmb ish               | fence_full    | -     | -           | -       | 0  | 0
d5033abf | dmb ishst             | fence_store   | -     | -           | -       | 0  | 0
d5033fdf | isb                   | fence_load    | -     | -           | -       | 0  | 0
d503201f | nop                   | nop           | -     | -           | -       | 0  | 0
d503245f | bti                   | nop           | -     | -           | -       | 0  | 0
f9800000 | prfm                  | prefetch      | x0    | -           | -       | 0  | 0
4ea28420 | add v.4s,v.4s,v.4s    | plain         | -     | v1,v2       | v0      | 0  | 0
4e22cc20 | fmla v.4s,v.4s,v.4s   | plain         | -     | v0,v1,v2    | v0      | 0  | 0
4cdfa000 | ld1 {v.16b*2},[x],i   | plain         | x0    | -           | v0,v1   | 32 | 0
4cc3a040 | ld1 {v.16b*2},[x],x   | plain         | x2    | -           | v0,v1   | 32 | 0
4c857000 | st1 {v.16b*1},[x],x   | plain         | x0    | v0          | -       | 0  | 16
4d831c20 | st1 {v.b*1}[0xf],[x],x | plain        | x1    | v0          | -       | 0  | 1
dac10211 | pacia x,x             | plain         | -     | x16,x17     | x17     | 0  | 0
dac123e3 | paciza x              | plain         | -     | x3          | x3      | 0  | 0
9ac23020 | pacga x,x,x           | plain         | -     | x1,x2       | x0      | 0  | 0
dac143e4 | xpaci x               | plain         | -     | x4          | x4      | 0  | 0
d503233f | paciasp               | plain         | -     | x30,sp      | x30     | 0  | 0
d50321df | autib1716             | plain         | -     | x16,x17     | x17     | 0  | 0
d50320ff | xpaclri               | plain         | -     | x30         | x30     | 0  | 0
f8200420 | ldraa x,[x]           | plain         | x1    | -           | x0      | 8  | 0
1e612000 | fcmp d,d              | plain         | -     | v0,v1       | nzcv    | 0  | 0
"""

ATOMIC = """
f8200041 | ldadd x,x,[x]   | x2 | x0    | x1 | 8 | 8
b8e00041 | ldaddal w,w,[x] | x2 | x0    | x1 | 4 | 4
f820003f | stadd x,[x]     | x1 | x0    | -  | 8 | 8
f8e08041 | swpal x,x,[x]   | x2 | x0    | x1 | 8 | 8
c8a07c41 | cas x,x,[x]     | x2 | x0,x1 | x0 | 8 | 8
c8007c41 | stxr w,x,[x]    | x2 | x1    | x0 | 0 | 8
"""


def rows(text: str) -> list[list[str]]:
    return [[word.strip() for word in line.split("|")] for line in text.strip().splitlines()]


def facts(word: str) -> Facts:
    return DECODER.facts(int(word, 16).to_bytes(4, "little"))


def numbers(text: str) -> tuple[int, ...]:
    named = {DECODER.registers(number): number for number in range(65)}
    return () if text == "-" else tuple(sorted(named[name] for name in text.split(",")))


@pytest.mark.parametrize("row", rows(CASES), ids=lambda row: row[0])
def test_facts(row: list[str]) -> None:
    word, form, kind, address, data, writes, load, store = row
    found = facts(word)
    assert (found.form, found.kind, found.locked) == (form, kind, False)
    assert (found.address_reads, found.data_reads, found.writes) == (numbers(address), numbers(data), numbers(writes))
    assert (found.load_bytes, found.store_bytes) == (int(load), int(store))


@pytest.mark.parametrize("row", rows(ATOMIC), ids=lambda row: row[1])
def test_atomics(row: list[str]) -> None:
    word, form, address, data, writes, load, store = row
    expected = Facts(
        form,
        "plain",
        "",
        numbers(address),
        numbers(data),
        numbers(writes),
        int(load),
        int(store),
        True,
        form.startswith("swp"),
    )
    assert facts(word) == expected


def test_registers_of_the_system_that_are_read_at_once_cost_nothing_of_their_own() -> None:
    assert [facts(word).system for word in ("d5384100", "d53be040", "d5182000", "d50342df")] == [
        "", "mrs_counter", "msr_ttbr", "msr_daif"
    ]  # fmt: skip


def test_a_word_that_is_no_instruction_has_no_facts() -> None:
    assert facts("ffffffff") == Facts(UNREADABLE)
