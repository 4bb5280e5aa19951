# SPDX-License-Identifier: GPL-2.0-only
"""Compilers that this host's distribution does not have, from a newer suite of its archive, without installing them.

A package and all it depends on, of one suite, checked by signature and hash, are unpacked into the cache. Its programs
run through the C library that came with them: small scripts call that library's loader. The assembler, the linker and
the other binutils come from the same suite, because a compiler may write what an older assembler does not know
(gcc 15 writes `.base64`, which binutils 2.40 refuses). The host's own packages and apt are not touched.
"""

import re
import shlex
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.effects import process
from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, swept, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of, this_host
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.deb import tar_of
from kassay.supply.archive.index import current_index
from kassay.supply.archive.mirrors import Mirrors, host_mirrors
from kassay.supply.archive.resolving import Suite

# Suites in which a compiler is looked for; the first that has it is taken with all it needs.
_SUITES = ("oldstable", "stable", "testing", "unstable")
# apt's closure holds what compiling C for a kernel never runs.
_NOT_NEEDED = re.compile(
    r"(?:libgprofng|lib(?:[alt]|hwa|ub)san\d|libitm|libgomp|libatomic"
    r"|libquadmath|libgc1|libobjc|libstdc\+\+-|libc6-dev|libc-dev|libc-l10n|linux-libc-dev|manpages|lib32|libx32)"
)
_URI = re.compile(r"^'([^']+)' (\S+)_(\S+)_\w+\.deb (\d+) SHA256:([0-9a-f]{64})$", re.M)
# What a kernel build calls of the binutils. Old sources find the directory of the tools by looking for elfedit.
_BINUTILS = ("as", "ld", "ar", "nm", "objcopy", "objdump", "ranlib", "readelf", "strip", "elfedit")
_CALLED_BY_COMPILER = ("as", "ld")  # by these names, in the directory that -B names
_LAYOUT = 2  # raised when what is unpacked or the scripts below change: then every compiler is unpacked again


class _Deb(NamedTuple):
    uri: str
    name: str
    version: str
    size_bytes: int
    sha256: str


def fetched(family: str, major: int, arch: str, package: str, tell: Tell) -> Path:
    """The program that make is given as CC, from the cache or the archive. Raises HostLacks when no suite has it."""
    name = _name(family, package, arch)
    unpacked = _unpacked(name)
    if unpacked is None:
        with locked(_directory() / f".{name}.lock", waiting(tell, package)):
            unpacked = _unpacked(name) or _fetch(family, major, arch, package, tell)
    return unpacked / "bin" / f"{family}-{major}"


def cached(family: str, major: int, package: str, arch: str) -> Path | None:
    """The program that make is given as CC, if the cache has it; fetches nothing."""
    unpacked = _unpacked(_name(family, package, arch))
    return unpacked / "bin" / f"{family}-{major}" if unpacked is not None else None


def is_wrapper(path: Path) -> bool:
    """True if `path` is a compiler of the cache."""
    return path.parent.parent.parent == _directory()


def identity(path: Path) -> str:
    """sha256 of the names, versions and hashes of the packages that a compiler of the cache was unpacked from.

    In the order of their names: apt lists a package behind what it depends on, and kassay's own search before it.
    """
    lines = (path.parent.parent / "packages").read_text().splitlines(keepends=True)
    return sha256_bytes("".join(sorted(lines)).encode())


def tools_prefix(path: Path, arch: str) -> str:
    """Prefix of "ld" and "objcopy" in the paths of the binutils that belong to a compiler of the cache."""
    return f"{path.parent}/{arch_of(arch).build.triple}-"


def _directory() -> Path:
    return cache_directory() / "compilers"


def _name(family: str, package: str, arch: str) -> str:
    """First part of the name of a compiler's directory. One package of clang serves every architecture, but each needs
    its own binutils beside it."""
    return package if family == "gcc" or not arch_of(arch).build.cross else f"{package}-{arch}"


def _unpacked(name: str) -> Path | None:
    """Directory of an unpacked compiler; the newest if there are several."""
    directories = sorted(_directory().glob(f"{name}_*_{_LAYOUT}"))
    return directories[-1] if directories else None


def _fetch(family: str, major: int, arch: str, package: str, tell: Tell) -> Path:
    mirrors = host_mirrors()
    host = this_host().name
    root = _apt.root_for(mirrors, host)
    unread = current_index(host, tell).unread  # the lists are there, and new where there is a network
    _apt.prepare(root, mirrors)
    tell(Progress(stage="compilers", subject=package, text="not on this host; looking in the archive"))
    suite, debs = _closure(root, mirrors, package, _binutils_of(arch), unread)
    main = next(deb for deb in debs if deb.name == package)
    name = _name(family, package, arch)
    final = _directory() / f"{name}_{main.version.replace(':', '%3a')}_{_LAYOUT}"
    size = sum(deb.size_bytes for deb in debs)
    text = f"{package} {main.version} of {suite}: {len(debs)} packages, {size / 1e6:.0f} MB"
    tell(Progress(stage="compilers", subject=package, text=text))
    with swept(_directory() / f".{name}.partial") as partial:
        (partial / "root").mkdir()
        for deb in debs:
            _unpack(root, deb, partial, tell)
        _scripts(partial, final, family, major, arch)
        write_atomic(partial / "packages", "".join(f"{d.name} {d.version} {d.sha256}\n" for d in debs).encode())
        for script in (partial / "bin").iterdir():
            script.chmod(0o755)
        with disk_errors(final):
            partial.rename(final)
    return final


def _binutils_of(arch: str) -> str:
    """The package with the assembler and the linker for `arch`."""
    return f"binutils-{arch_of(arch).build.triple.replace('_', '-')}"


def _closure(
    root: _apt.AptRoot, mirrors: Mirrors, package: str, binutils: str, unread: Sequence[_apt.UnreadSuite]
) -> tuple[str, tuple[_Deb, ...]]:
    """The compiler, the binutils and what both need to run, all of the oldest suite that has the compiler."""
    reason = ""
    for alias in _SUITES:
        suite = _apt.codename(root, alias)
        try:
            debs = (_by_apt if root.helper else _without_apt)(root, mirrors, suite, (package, binutils))
        except BadInput as error:
            reason = error.what
            continue
        return suite, tuple(deb for deb in debs if not _NOT_NEEDED.match(deb.name))
    what = f"compiler {package}: neither on this host nor in the archive's suites ({reason})"
    what += _apt.unread_lines(unread)
    raise HostLacks(what, "name one that is installed, or its absolute path")


def _by_apt(root: _apt.AptRoot, mirrors: Mirrors, suite: str, names: Sequence[str]) -> Iterator[_Deb]:
    wanted = (f"{name}/{suite}" for name in names)
    argv = ("apt-get", "-c", root.configuration, *_apt.WITH_CACHE, "-t", suite, "-y", "--no-install-recommends",
            "--print-uris", "install", *wanted)  # fmt: skip
    ended = process.run(argv, timeout_s=300)
    found = {m[2]: _Deb(m[1], m[2], m[3].replace("%3a", ":"), int(m[4]), m[5]) for m in _URI.finditer(ended.out)}
    if ended.status or names[0] not in found:
        raise BadInput(
            ended.err.strip().splitlines()[-1] if ended.err.strip() else f"apt-get ended with {ended.status}"
        )
    return iter(found.values())


def _without_apt(root: _apt.AptRoot, mirrors: Mirrors, suite: str, names: Sequence[str]) -> Iterator[_Deb]:
    found = Suite(root, mirrors, suite).closure(names)
    return (_Deb(one.uri, one.name, one.version, one.size_bytes, one.sha256) for one in found)


def _unpack(root: _apt.AptRoot, deb: _Deb, partial: Path, tell: Tell) -> None:
    file = partial / f"{deb.name}.deb"
    if reason := _apt.download(root, deb.uri, deb.sha256, file, tell):
        raise HostLacks(f"{deb.name} {deb.version}: {reason}", "check the network and repeat the command")
    with disk_errors(partial), tar_of(file) as tar:
        # Versions of Python before 3.11.4 have no filters. The files were checked by their hashes.
        tar.extraction_filter = getattr(tarfile, "tar_filter", lambda member, path: member)
        tar.extractall(partial / "root")
    file.unlink()


def _scripts(partial: Path, final: Path, family: str, major: int, arch: str) -> None:
    """Programs to call: the driver, the binutils, and for gcc cc1 and collect2. The driver finds these by -B."""
    (partial / "bin").mkdir()
    root, driver = partial / "root", f"{family}-{major}"
    beside = f"-B {shlex.quote(str(final / 'bin'))}/"
    _binutils_scripts(partial, final, arch)
    if family == "clang":
        resources = final / "root" / f"usr/lib/llvm-{major}/lib/clang/{major}"
        program = f"usr/lib/llvm-{major}/bin/clang"
        # clang calls itself again, as -cc1 or -cc1as, by the name it was called.
        plain = _through_loader(partial, final, program, str(final / "bin" / driver))
        options = f"-no-canonical-prefixes -resource-dir {shlex.quote(str(resources))} {beside}"
        text = f'case "$1" in -cc1*) {plain} "$@" ;; esac\n{plain} {options} "$@"\n'
    else:
        program = f"usr/bin/{arch_of(arch).build.triple}-gcc-{major}"
        called = str(final / "root" / program)
        text = f'{_through_loader(partial, final, program, called)} {beside} "$@"\n'
        for name in ("cc1", "collect2"):
            found = next((p for p in root.glob(f"usr/lib*/gcc*/**/{major}/{name}") if p.is_file()), None)
            if found is None:
                raise HostLacks(f"{driver}: its packages hold no {name}", "report this, and name another compiler")
            command = _through_loader(partial, final, str(found.relative_to(root)), name)
            write_atomic(partial / "bin" / name, f'#!/bin/sh\n{command} "$@"\n'.encode())
    if not (root / program).is_file():
        raise HostLacks(f"{driver}: its packages hold no {program}", "report this, and name another compiler")
    write_atomic(partial / "bin" / driver, f"#!/bin/sh\n{text}".encode())


def _binutils_scripts(partial: Path, final: Path, arch: str) -> None:
    """The binutils by the names that make uses, with the triple, and by those that the compiler's driver uses."""
    triple = arch_of(arch).build.triple
    for name in _BINUTILS:
        program = f"usr/bin/{triple}-{name}"
        if not (partial / "root" / program).is_file():
            raise HostLacks(f"{_binutils_of(arch)}: holds no {program}", "report this, and name another compiler")
        command = _through_loader(partial, final, program, str(final / "bin" / f"{triple}-{name}"))
        for called in (f"{triple}-{name}", *((name,) if name in _CALLED_BY_COMPILER else ())):
            write_atomic(partial / "bin" / called, f'#!/bin/sh\n{command} "$@"\n'.encode())


def _through_loader(partial: Path, final: Path, program: str, called: str) -> str:
    root = final / "root"
    triple = this_host().build.triple
    folders = (f"usr/lib/{triple}", f"lib/{triple}", "usr/lib")
    llvm = (str(path.relative_to(partial / "root")) for path in (partial / "root").glob("usr/lib/llvm-*/lib"))
    command = (str(root / _loader(partial)), "--inhibit-cache", "--argv0", called, "--library-path",
             ":".join(str(root / folder) for folder in (*folders, *llvm)), str(root / program))  # fmt: skip
    return "exec " + " ".join(shlex.quote(word) for word in command)


def _loader(partial: Path) -> str:
    """The loader of the C library that was unpacked."""
    triple = this_host().build.triple
    for folder in (f"usr/lib/{triple}", f"lib/{triple}"):
        for loader in (partial / "root" / folder).glob("ld-linux-*.so.*"):
            return str(loader.relative_to(partial / "root"))
    raise HostLacks("the compiler's packages hold no dynamic loader", "report this, and name another compiler")
