# SPDX-License-Identifier: GPL-2.0-only
"""Small C files, compiled by real compilers the way a kernel's are, and linked at chosen places."""

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from kassay.labs.codegen.objects import find_in_object
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.supply.machine_code.listing import Listing, listing

FLAGS = (
    "-O2",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fcf-protection=none",
)
ARM64 = "aarch64-linux-gnu-gcc"
COMPILERS = ("gcc", "clang")

SCAN = """
extern int visit(unsigned long, void *);
extern void warn(const char *, int);
extern int limit;
static int table[8];
__attribute__((noinline)) static int lookup(int i) { return table[i & 7]; }
void fill(int i, int v) { table[i & 7] = v; }
int scan(unsigned long *p, int n)
{
	int sum = limit;
	for (int i = 0; i < n; i++) {
		if (p[i] & 1)
			sum += visit(p[i], p);
		else if (__builtin_expect(p[i] == 0x1234, 0))
			warn("odd entry", lookup(i));
		else
			sum += lookup(i) + 7;
	}
	return sum;
}
"""
_STUBS = """
int visit(unsigned long a, void *p) { return a != 0; }
void warn(const char *s, int i) {}
int limit = 3;
const int version[] = {6, 16};
"""


def needs(program: str) -> str:
    """The program; the test is skipped without it."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    return program


@cache
def _objects() -> TemporaryDirectory[str]:
    """Directory of all objects; it goes away with the process."""
    return TemporaryDirectory(prefix="kassay-codegen-")


@cache
def built(text: str, cc: str = "gcc", *more: str) -> Path:
    """The object of a C text."""
    directory = Path(mkdtemp(dir=_objects().name))
    source = directory / "a.c"
    source.write_text(text)
    flags = [flag for flag in FLAGS if not (cc == ARM64 and "protection" in flag)]
    kernel = ("-mcmodel=kernel", "-mno-sse") if cc != ARM64 else ("-mgeneral-regs-only",)
    subprocess.run([needs(cc), *flags, *kernel, *more, "-c", source, "-o", directory / "a.o"], check=True)
    return directory / "a.o"


def code_of(text: str, cc: str = "gcc", *more: str, function: str = "scan") -> Listing:
    """A function of a C text as compiled."""
    found = find_in_object(built(text, cc, *more), function)
    assert found is not None
    return listing(found)


def linked(objects: tuple[Path, ...], at: int, directory: Path) -> KernelArtifact:
    """A kernel, as far as codegen is concerned: linked at `at`, with the table of symbols that a kernel has."""
    image = directory / f"vmlinux-{at:x}"
    subprocess.run(
        [needs("ld"), "-e", "0", f"-Ttext={at:#x}", f"-Tdata={at + 0x200000:#x}", *objects, "-o", image], check=True
    )
    names = subprocess.run(["nm", "-n", image], check=True, capture_output=True, text=True).stdout
    symbols = directory / f"symbols-{at:x}"
    symbols.write_text("".join(f"{line}\n" for line in names.splitlines() if line.split()[1] != "U"))
    identity = KernelIdentity(ref="image:test", arch="x86_64", release="test", image_sha256=None)
    return KernelArtifact(
        identity=identity, directory=str(directory), image=str(image), vmlinux=str(image), symbols=str(symbols)
    )


def stubs(cc: str = "gcc", *, padding: int = 0) -> Path:
    """Object with the functions that SCAN calls. padding moves them."""
    return built(f'{_STUBS}void pad(void) {{ __asm__ volatile(".skip {padding + 1}, 0x90"); }}\n', cc)


_HEAD = '__asm__(".globl _text\\n_text: .skip 56\\n.ascii \\"ARMd\\"\\n.skip 4");\n'


def linked_arm64(objects: tuple[Path, ...], at: int, directory: Path) -> KernelArtifact:
    """A raw Image, as arm64 boots it."""
    prefix = needs(ARM64).removesuffix("gcc")
    elf, image, symbols = (directory / f"{name}-{at:x}" for name in ("vmlinux", "Image", "symbols"))
    first = built(_HEAD + _STUBS, ARM64)
    subprocess.run([f"{prefix}ld", "-e", "0", f"-Ttext={at:#x}", first, *objects, "-o", elf], check=True)
    subprocess.run([f"{prefix}objcopy", "-O", "binary", "-j", ".text", "-j", ".rodata", elf, image], check=True)
    names = subprocess.run([f"{prefix}nm", "-n", elf], check=True, capture_output=True, text=True).stdout
    symbols.write_text("".join(f"{line}\n" for line in names.splitlines() if "$" not in line))
    identity = KernelIdentity(ref="image:arm", arch="arm64", release="test", image_sha256=None)
    return KernelArtifact(identity=identity, directory=str(directory), image=str(image), symbols=str(symbols))
