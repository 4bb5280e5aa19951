# SPDX-License-Identifier: GPL-2.0-only
"""The plugin's few lines of decoding say what a disassembler says, on real object code of both architectures."""

import ctypes
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kassay.evidence.profile.place import decode
from kassay.supply.machines._plugin import FLAGS, sources

pytestmark = pytest.mark.slow  # seconds for the whole file

TARGETS = ("aarch64", "x86_64")
PLAIN, JUMP, CALL, JUMP_INDIRECT, CALL_INDIRECT, RETURN, SYSCALL, EXCEPTION_RETURN, SYSCALL_RETURN, HALT, REPEAT = (
    range(11)
)
SAID = {
    CALL: {"call"}, JUMP: {"jump", "branch"}, CALL_INDIRECT: {"indirect-call"}, JUMP_INDIRECT: {"indirect-jump"},
    RETURN: {"return"}, PLAIN: {"other"}, REPEAT: {"other"},
}  # fmt: skip
SOURCE = """
int stop(void);
void (*hook)(int);
int many(int *a, unsigned long n, char *to, const char *from)
{
	int sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		if (a[i] & 4)
			sum += a[i];
		else if (a[i] < 0)
			hook(a[i]);
		to[i] = from[i];
		__atomic_fetch_add(a + i, 1, __ATOMIC_SEQ_CST);
	}
	switch (sum) {
	case 1: return 7; case 2: return 9; case 3: return 4; case 4: return stop(); case 5: return 77; case 6: return 12;
	}
	return sum ? stop() : many(a, n / 2, to, from) + 1;
}
"""


class LastInsn(ctypes.Structure):
    _fields_ = (("ending", ctypes.c_int), ("target", ctypes.c_uint64))


class Arch(ctypes.Structure):
    """struct arch of plugin/code.h."""

    _fields_ = (
        ("next", ctypes.c_void_p),
        ("target", ctypes.c_char_p),
        ("ending", ctypes.CFUNCTYPE(LastInsn, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)),
        ("mark", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)),
        ("moves_stack", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_size_t)),
        ("moves_pages", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_size_t)),
        ("store", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)),
    )


@cache
def library(directory: Path) -> ctypes.CDLL:
    made = directory / "code.so"
    flags = [flag for flag in FLAGS if flag != "-fvisibility=hidden"]
    names = sorted(path.name for path in sources().glob("arch-*.c"))
    subprocess.run(("gcc", *flags, "-o", str(made), "code.c", *names), cwd=sources(), check=True)
    loaded = ctypes.CDLL(str(made))
    loaded.arch_find.restype = ctypes.POINTER(Arch)
    loaded.arch_find.argtypes = (ctypes.c_char_p,)
    return loaded


def arch_of(code: ctypes.CDLL, target: str) -> Arch:
    found: Arch = code.arch_find(target.encode()).contents
    return found


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return library(tmp_path_factory.mktemp("code"))


def assembled(directory: Path, target: str, text: str) -> bytes:
    source, made = directory / "a.s", directory / "a.o"
    source.write_text(text + "\n")
    subprocess.run(("clang", f"--target={target}-linux-gnu", "-march=armv8.3-a" if target == "aarch64" else "-m64",
                    "-c", "-o", str(made), str(source)), check=True)  # fmt: skip
    return text_of(made)


def text_of(made: Path) -> bytes:
    with made.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".text")
        assert section is not None
        return bytes(section.data())


def ending(code: ctypes.CDLL, target: str, insn: bytes, address: int = 0) -> LastInsn:
    found: LastInsn = arch_of(code, target).ending(insn, len(insn), address)
    return found


def instructions(target: str, data: bytes) -> list[tuple[int, bytes]]:
    from capstone import CS_ARCH_ARM64, CS_ARCH_X86, CS_MODE_64, CS_MODE_ARM, Cs

    engine = Cs(CS_ARCH_X86, CS_MODE_64) if target == "x86_64" else Cs(CS_ARCH_ARM64, CS_MODE_ARM)
    return [(at, data[at : at + size]) for at, size, _, _ in engine.disasm_lite(data, 0)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_ends_of_compiled_code_are_those_a_disassembler_sees(
    code: ctypes.CDLL, tmp_path: Path, target: str, level: str
) -> None:
    (tmp_path / "many.c").write_text(SOURCE)
    made = tmp_path / "many.o"
    subprocess.run(("clang", f"--target={target}-linux-gnu", level, "-ffreestanding", "-c", "-o", str(made),
                    str(tmp_path / "many.c")), check=True)  # fmt: skip
    seen: Counter[int] = Counter()
    for address, insn in instructions(target, text_of(made)):
        mine = ending(code, target, insn, address)
        theirs = decode(target, address, bytes([len(insn)]), insn)
        assert theirs.end in SAID[mine.ending], (hex(address), insn.hex())
        if mine.ending in (CALL, JUMP):
            assert mine.target == theirs.target, (hex(address), insn.hex())
        seen[mine.ending] += 1
    assert min(seen[CALL], seen[JUMP], seen[RETURN], seen[CALL_INDIRECT]) > 0


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("x86_64", "rep stosb", REPEAT), ("x86_64", "rep movsq", REPEAT), ("x86_64", "repne scasb", REPEAT),
        ("x86_64", "stosb", PLAIN), ("x86_64", "syscall", SYSCALL), ("x86_64", "iretq", EXCEPTION_RETURN),
        ("x86_64", "sysretq", SYSCALL_RETURN), ("x86_64", "hlt", HALT), ("x86_64", "jmp *%rax", JUMP_INDIRECT),
        ("x86_64", "jmp *8(%r10)", JUMP_INDIRECT), ("x86_64", "call *(%rax)", CALL_INDIRECT),
        ("x86_64", "ret $8", RETURN),
        ("x86_64", "incl (%rax)", PLAIN), ("x86_64", "pause", PLAIN), ("aarch64", "svc #0", SYSCALL),
        ("aarch64", "eret", EXCEPTION_RETURN), ("aarch64", "wfi", HALT), ("aarch64", "wfe", PLAIN),
        ("aarch64", "br x9", JUMP_INDIRECT),
        ("aarch64", "blr x16", CALL_INDIRECT), ("aarch64", "ret", RETURN), ("aarch64", "retaa", RETURN),
        ("aarch64", "ldaxr x0, [x1]", PLAIN),
    ],
)  # fmt: skip
def test_ends_that_compilers_do_not_make(
    code: ctypes.CDLL, tmp_path: Path, target: str, text: str, expected: int
) -> None:
    assert ending(code, target, assembled(tmp_path, target, text)).ending == expected


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_mark_is_seen_and_nothing_else_is_taken_for_one(code: ctypes.CDLL, tmp_path: Path, target: str) -> None:
    marks = {"x86_64": "nopl 0x4b4153%02x(%%rax)", "aarch64": "movz xzr, #0x4b%02x"}
    others = {
        "x86_64": ("nopl 0x4b415250(%rax)", "nopl 0x4b415350(%rcx)", "nop"),
        "aarch64": ("movz x1, #0x4b50", "nop"),
    }
    for letter in "SNBPWFXE":
        insn = assembled(tmp_path, target, marks[target] % ord(letter))
        assert chr(arch_of(code, target).mark(insn, len(insn))) == letter
    for text in others[target]:
        insn = assembled(tmp_path, target, text)
        assert arch_of(code, target).mark(insn, len(insn)) == 0


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("x86_64", "mov %rsp,0x1518(%rdi)", True), ("x86_64", "mov 0x1518(%rsi),%rsp", True),
        ("x86_64", "mov 0x988(%rsi),%rbx", False), ("aarch64", "stp x19, x20, [x8], #16", True),
        ("aarch64", "ldp x19, x20, [x8], #16", True), ("aarch64", "stp x21, x22, [x8], #16", False),
    ],
)  # fmt: skip
def test_the_two_accesses_of_a_task_switch_are_known(
    code: ctypes.CDLL, tmp_path: Path, target: str, text: str, expected: bool
) -> None:
    insn = assembled(tmp_path, target, text)
    assert arch_of(code, target).moves_stack(insn, len(insn)) is expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "moving", "others"),
    [
        ("x86_64", ("mov %rax,%cr3", "mov %r9,%cr4", "invlpg (%rdi)", "invlpg 8(%r12)", "invpcid (%rax),%rcx", "wrmsr"),
         ("mov %cr3,%rax", "swapgs", "lgdt (%rax)", "rdtsc", "nop", "mov %rax,(%rdi)", "movbe (%rax),%rcx")),
        ("aarch64", ("tlbi vmalle1is", "tlbi vae1is, x0", "msr ttbr0_el1, x3", "msr ttbr1_el1, x3", "msr tcr_el1, x0"),
         ("mrs x0, ttbr0_el1", "dc zva, x0", "ic iallu", "msr daifset, #2", "msr sp_el0, x1", "isb")),
    ],
)  # fmt: skip
def test_instructions_after_which_pages_may_be_elsewhere_are_known(
    code: ctypes.CDLL, tmp_path: Path, target: str, moving: tuple[str, ...], others: tuple[str, ...]
) -> None:
    for text in (*moving, *others):
        insn = assembled(tmp_path, target, text)
        assert arch_of(code, target).moves_pages(insn, len(insn)) is (text in moving), text


STACK, STORE, ATOMIC = range(3)


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("x86_64", "push %rbx", STACK), ("x86_64", "pushfq", STACK), ("x86_64", "call *8(%rax)", STACK),
        ("x86_64", "mov %rax,8(%rsp)", STACK), ("x86_64", "movq $0,0x10(%rsp)", STACK),
        ("x86_64", "lock addl $0,-4(%rsp)", STACK), ("x86_64", "mov %rsi,-0x18(%rbp)", STACK),
        ("x86_64", "mov %rsi,8(%rbp)", STORE), ("x86_64", "movq $0,0(%rbp)", STORE),
        ("x86_64", "mov %rax,(%rbx)", STORE),
        ("x86_64", "mov %r12,0x18(%r12)", STORE), ("x86_64", "mov %eax,0x20(%r13)", STORE),
        ("x86_64", "mov %rax,(%rax,%rbx)", STORE),
        ("x86_64", "lock btsq $0,(%rdx)", ATOMIC), ("x86_64", "lock cmpxchg %ecx,(%r12)", ATOMIC),
        ("aarch64", "str x0, [sp, #8]", STACK), ("aarch64", "stp x29, x30, [sp, #-16]!", STACK),
        ("aarch64", "str x0, [x29, #24]", STACK), ("aarch64", "str xzr, [x0, #8]", STORE),
        ("aarch64", "stp xzr, x1, [x0]", STORE), ("aarch64", "stlxr w1, x2, [x0]", ATOMIC),
        ("aarch64", "ldsetal x1, x2, [x0]", ATOMIC), ("aarch64", "casal x1, x2, [x0]", ATOMIC),
    ],
)  # fmt: skip
def test_stores_to_the_stack_and_atomic_ones_are_told_apart(
    code: ctypes.CDLL, tmp_path: Path, target: str, text: str, expected: int
) -> None:
    insn = assembled(tmp_path, target, text)
    assert arch_of(code, target).store(insn, len(insn)) == expected
