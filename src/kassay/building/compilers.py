# SPDX-License-Identifier: GPL-2.0-only
"""Compilers and tools of a kernel build: from this host, else from its distribution's archive."""

import functools
import re
from pathlib import Path

from kassay.arches import arch_of
from kassay.building import toolchain
from kassay.effects import process
from kassay.effects.files import sha256_bytes, sha256_file
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Tell
from kassay.model.records import Record

_NAME = re.compile(r"(gcc|clang)(?:-(\d+))?")
# Program, and the package that has it.
_TOOLS = (("make", "make"), ("flex", "flex"), ("bison", "bison"), ("bc", "bc"), ("ld", "binutils"), ("gcc", "gcc"))


class Compiler(Record, frozen=True, kw_only=True):
    """One C compiler for one architecture.

    path: the program that make is given. banner: first line of its --version, which the kernel's .config repeats.
    identity: sha256 over the program and what it compiles with, so that another build of the same version is another
    compiler. make_arguments: CC=, CROSS_COMPILE=, LLVM_IAS= as they are needed; programs for the host itself are always
    made by the host's gcc.
    """

    path: str
    arch: str
    banner: str
    identity: str
    make_arguments: tuple[str, ...]


def find_compiler(name: str, arch: str, tell: Tell) -> Compiler:
    """The compiler called `name` ("gcc", "gcc-13", "clang-18", an absolute path) for `arch`.

    What this host has not installed comes from its archive, into the cache (tell hears of it). Raises BadInput for a
    name that is no compiler's, HostLacks when it cannot be had.
    """
    if name.startswith("/"):
        return _described(name, Path(name), arch)
    match = _NAME.fullmatch(name)
    if not match:
        raise BadInput(f"compiler {name!r}: not understood", "write gcc, gcc-13, clang, clang-18, or an absolute path")
    program = (arch_of(arch).build.cross if match[1] == "gcc" else "") + name
    if found := process.find(program):
        return _described(name, Path(found), arch)
    if not match[2]:
        raise HostLacks(f"compiler {program}: not on this host", f"apt-get install {package_of(match[1], '', arch)}")
    fetched = toolchain.fetched(match[1], int(match[2]), arch, package_of(match[1], match[2], arch), tell)
    return _described(name, fetched, arch)


def package_of(family: str, major: str, arch: str) -> str:
    """The package with a compiler for `arch` that runs here."""
    versioned = f"{family}-{major}" if major else family
    return versioned + (arch_of(arch).build.cc_package if family == "gcc" else "")


def linker_of(compiler: Compiler) -> str:
    """First line of the linker's --version; every build links with the host's GNU ld."""
    program = f"{arch_of(compiler.arch).build.cross}ld"
    ended = process.run((program, "--version"))
    if ended.status or not ended.out:
        raise HostLacks(f"{program}: {ended.err.strip() or 'says no version'}", "install binutils")
    return ended.out.splitlines()[0].strip()


def check_tools(arch: str) -> None:
    """Raises HostLacks that names every missing package of a kernel build in one line."""
    if need := missing_tools(arch):
        raise HostLacks(f"building kernels needs {', '.join(need)}", f"apt-get install {' '.join(need)}")


def missing_tools(arch: str) -> tuple[str, ...]:
    """Packages that a kernel build for `arch` needs and this host lacks. ccache is not one: it only saves time."""
    need = [package for program, package in (*_TOOLS, *arch_of(arch).build.tools) if process.find(program) is None]
    if process.find("gcc"):
        need += [package for header, package in arch_of(arch).build.headers if not _has_header(header)]
    return tuple(dict.fromkeys(need))


def _has_header(header: str) -> bool:
    """Whether the host's gcc finds the header."""
    ended = process.run(("gcc", "-E", "-include", header, "-x", "c", "/dev/null"))
    return ended.status == 0


def _described(name: str, path: Path, arch: str) -> Compiler:
    ended = process.run((str(path), "--version")) if path.is_file() else None
    banner = ended.out.splitlines()[0].strip() if ended and ended.status == 0 and ended.out else ""
    if not banner or not _compiles(path):
        reason = "no such file" if ended is None else (ended.err or ended.out).strip()[:200] or "no gcc and no clang"
        raise BadInput(f"compiler {name!r}: {reason}", "name gcc, clang or the path of one")
    family = "clang" if "clang" in banner else "gcc"
    prefix = arch_of(arch).build.cross
    cross = (f"CROSS_COMPILE={prefix}",) if prefix else ()
    return Compiler(
        path=str(path), arch=arch, banner=banner, identity=_identity(path, family, banner),
        make_arguments=(f"CC={path}", *cross, *(("LLVM_IAS=1",) if family == "clang" else ())),
    )  # fmt: skip


def _compiles(path: Path) -> bool:
    """Whether the program is a C compiler compatible with gcc or clang."""
    ended = process.run((str(path), "-dM", "-E", "-x", "c", "/dev/null"))
    return ended.status == 0 and "#define __GNUC__ " in ended.out


def _identity(path: Path, family: str, banner: str) -> str:
    """A hash of all that compiles: the driver and cc1 of gcc; of clang the program and its libraries."""
    if toolchain.is_wrapper(path):
        return toolchain.identity(path)
    parts = [path.resolve()]
    if family == "gcc":
        cc1 = process.run((str(path), "-print-prog-name=cc1")).out.strip()
        parts += [Path(cc1)] if Path(cc1).is_file() else []
    else:
        parts += _libraries(path.resolve())
    return sha256_bytes("\n".join([banner, *(_content(str(p), p.stat().st_mtime_ns) for p in parts)]).encode())


def _libraries(program: Path) -> list[Path]:
    """The shared libraries of LLVM that a clang is made of."""
    listed = process.run(("ldd", str(program))).out
    libraries = re.findall(r"=> (/\S*lib(?:LLVM|clang)\S*)", listed)
    return sorted(Path(library).resolve() for library in libraries)


@functools.cache
def _content(path: str, _changed: int) -> str:
    return sha256_file(Path(path))
