# SPDX-License-Identifier: GPL-2.0-only
"""Compilers and tools of a kernel build: from this host, else from its distribution's archive."""

import functools
import re
from pathlib import Path

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.files import sha256_bytes, sha256_file
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Tell
from kassay.model.records import Record
from kassay.supply.arches import arch_of
from kassay.supply.building import toolchain

_NAME = re.compile(r"(gcc|clang)(?:-(\d+))?")
# Versions that are looked for: gcc 8 is the oldest that any source of the archive takes.
_MAJORS = range(8, 40)
# Program, and the package that has it.
_TOOLS = (("make", "make"), ("flex", "flex"), ("bison", "bison"), ("bc", "bc"), ("ld", "binutils"), ("gcc", "gcc"))


class Compiler(Record, frozen=True, kw_only=True):
    """One C compiler for one architecture."""

    path: str
    """The program that make is given."""
    arch: str
    banner: str
    """First line of its --version, which the kernel's .config repeats."""
    identity: str
    """Hash (sha256) over the program and what it compiles with, so that another build of one version is another
    compiler."""
    make_arguments: tuple[str, ...]
    """Arguments CC=, CROSS_COMPILE=, LLVM_IAS= as they are needed. Programs for the host itself are always made by the
    host's gcc."""
    tools_prefix: str
    """Prefix of "ld" in the linker's name or path. It is "" for the host's own architecture, and a path for a compiler
    of the cache, which has its own binutils."""


def check_name(name: str, arch: str) -> None:
    """Raises BadInput for a name that find_compiler() does not understand, or for a path without a file; HostLacks for
    a compiler that only this host could have, and has not. Fetches nothing."""
    if name.startswith("/"):
        if not Path(name).is_file():
            raise BadInput(f"compiler {name!r}: no such file", "name gcc, clang or the path of one")
        return
    match = _NAME.fullmatch(name)
    if not match:
        raise BadInput(f"compiler {name!r}: not understood", "write gcc, gcc-13, clang, clang-18, or an absolute path")
    program = (arch_of(arch).build.cross if match[1] == "gcc" else "") + name
    if not match[2] and not process.find(program):
        raise HostLacks(f"compiler {program}: not on this host", install(package_of(match[1], "", arch)))


def find_compiler(name: str, arch: str, tell: Tell) -> Compiler:
    """The compiler called `name` ("gcc", "gcc-13", "clang-18", an absolute path) for `arch`.

    What this host has not installed comes from its archive, into the cache (tell hears of it). Raises BadInput for a
    name that is no compiler's, HostLacks when it cannot be had.
    """
    check_name(name, arch)
    match = _NAME.fullmatch(name)
    if match is None:
        return _described(name, Path(name), arch)
    program = (arch_of(arch).build.cross if match[1] == "gcc" else "") + name
    if found := process.find(program):
        return _described(name, Path(found), arch)
    fetched = toolchain.fetched(match[1], int(match[2]), arch, package_of(match[1], match[2], arch), tell)
    return _described(name, fetched, arch)


def present_compilers(arch: str) -> tuple[str, ...]:
    """Names of the compilers for `arch` that need no download, one for each different program.

    These are the installed ones and those that an earlier build fetched into the cache. gcc and gcc-12 are one compiler
    if both names lead to one program; the name without a version stands for it then.
    """
    names = [name for family in ("gcc", "clang") for name in (family, *(f"{family}-{major}" for major in _MAJORS))]
    programs = {name: program for name in names if (program := _present(name, arch))}
    return tuple({program: name for name, program in reversed(programs.items())}.values())[::-1]


def _present(name: str, arch: str) -> Path | None:
    """The program of a compiler that is installed or in the cache."""
    match = _NAME.fullmatch(name)
    assert match is not None
    if found := process.find((arch_of(arch).build.cross if match[1] == "gcc" else "") + name):
        return Path(found).resolve()
    package = package_of(match[1], match[2], arch)
    return toolchain.cached(match[1], int(match[2]), package, arch) if match[2] else None


def package_of(family: str, major: str, arch: str) -> str:
    """The package with a compiler for `arch` that runs here."""
    versioned = f"{family}-{major}" if major else family
    return versioned + (arch_of(arch).build.cc_package if family == "gcc" else "")


def linker_of(compiler: Compiler) -> str:
    """First line of the linker's --version: the GNU ld of the compiler's suite, the host's for the host's compilers."""
    program = f"{compiler.tools_prefix}ld"
    ended = process.run((program, "--version"))
    if ended.status or not ended.out:
        raise HostLacks(f"{program}: {ended.err.strip() or 'says no version'}", install("binutils"))
    return ended.out.splitlines()[0].strip()


def check_tools(arch: str) -> None:
    """Raises HostLacks that names every missing package of a kernel build in one line."""
    if need := missing_tools(arch):
        raise HostLacks(f"building kernels needs {', '.join(need)}", install(*need))


def missing_tools(arch: str) -> tuple[str, ...]:
    """Packages that a kernel build for `arch` needs and this host lacks. ccache is not one: it only saves time."""
    need = [package for program, package in (*_TOOLS, *arch_of(arch).build.tools) if process.find(program) is None]
    if process.find("gcc"):
        need += [package for header, package in arch_of(arch).build.headers if not _has_header(header)]
    return tuple(dict.fromkeys(need))


def _has_header(header: str) -> bool:
    """True if the host's gcc finds the header."""
    ended = process.run(("gcc", "-E", "-include", header, "-x", "c", "/dev/null"))
    return ended.status == 0


def _described(name: str, path: Path, arch: str) -> Compiler:
    ended = process.run((str(path), "--version")) if path.is_file() else None
    banner = ended.out.splitlines()[0].strip() if ended and ended.status == 0 and ended.out else ""
    if not banner or not _compiles(path):
        reason = "no such file" if ended is None else (ended.err or ended.out).strip()[:200] or "no gcc and no clang"
        raise BadInput(f"compiler {name!r}: {reason}", "name gcc, clang or the path of one")
    family = "clang" if "clang" in banner else "gcc"
    prefix = toolchain.tools_prefix(path, arch) if toolchain.is_wrapper(path) else arch_of(arch).build.cross
    cross = (f"CROSS_COMPILE={prefix}",) if prefix else ()
    return Compiler(
        path=str(path), arch=arch, banner=banner, identity=_identity(path, family, banner),
        make_arguments=(f"CC={path}", *cross, *(("LLVM_IAS=1",) if family == "clang" else ())),
        tools_prefix=prefix,
    )  # fmt: skip


def _compiles(path: Path) -> bool:
    """True if the program is a C compiler compatible with gcc or clang."""
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
