# SPDX-License-Identifier: GPL-2.0-only
"""Packages of one release with all that they depend on, resolved, checked and fetched by apt where the host has it.

Everything is of one release: Debian's stable, by its codename, without security updates and backports, so
that a list changes with a point release and not between. Recommended packages are left out. The packages that every
Debian system has (Essential) are taken as far as something depends on them.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from kassay.effects import process
from kassay.effects.files import write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks, nearest
from kassay.model.packages import ArchivePackage
from kassay.model.progress import Progress, Tell
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.index import NotOnMirror, current_index, fetched_file, package_file, quoted
from kassay.supply.archive.mirrors import Mirrors, host_mirrors
from kassay.supply.archive.resolving import Suite

_RELEASE = "stable"
_URI = re.compile(r"^'([^']+)' (\S+?)_(\S+)_\w+\.deb \d+ SHA256:([0-9a-f]{64})$", re.M)
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_UNKNOWN = re.compile(r"^E: (?:Unable to locate package|Package '?)\s*([a-z0-9][a-z0-9+.-]*)", re.M)


def closure(
    names: Sequence[str], arch: str, tell: Tell, *, without: Collection[str] = ()
) -> tuple[ArchivePackage, ...]:
    """The packages and what they depend on, by name, as apt would install them on an empty system.

    without: patterns, as of a shell, of packages that are left out though others depend on them. Raises BadInput for a
    package that the release lacks or whose dependencies cannot be met, HostLacks without a list of packages.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            raise BadInput(f"package {name!r}: no name of a package", "a Debian package name, such as gcc")
    mirrors = host_mirrors()
    root = _apt.root_for(mirrors, arch)
    current_index(arch, tell)  # the lists are there, and new where there is a network
    suite = _apt.codename(root, _RELEASE)
    with locked(Path(root.directory) / "lock", waiting(tell, f"{arch} package lists")):
        packages = (_by_apt if root.helper else _without_apt)(names, root, mirrors, suite)
    chosen = sorted(
        (package for package in packages if not any(fnmatchcase(package.name, pattern) for pattern in without)),
        key=lambda package: package.name,
    )
    absent = [name for name in names if name not in {package.name for package in chosen}]
    if absent:
        raise BadInput(f"package {absent[0]}: {suite} has no such package of its own (it is virtual, or left out)",
                       "name a package that provides it")  # fmt: skip
    return tuple(chosen)


def fetched(packages: Sequence[ArchivePackage], arch: str, tell: Tell) -> tuple[Path, ...]:
    """The packages' files, read-only in the cache, in the same order; downloaded when they are missing or damaged.

    Raises HostLacks that names what the mirror no longer has, or that it cannot be reached.
    """
    uri = host_mirrors().main.uri.rstrip("/")
    files, gone = [], []
    for number, package in enumerate(packages, start=1):
        subject = f"package {number} of {len(packages)}: {package.name} {package.version}"
        tell(Progress(stage="fetch", subject=subject, done=(number - 1) / len(packages)))
        version = package.version.replace(":", "%3a")
        try:
            files.append(fetched_file(package.name, version, f"{uri}/{package.pool}", package.sha256, arch, tell))
        except NotOnMirror:
            gone.append(f"{package.name} {package.version} ({package.suite})")
    if gone:
        cache = package_file("", "", arch).parent
        raise HostLacks(
            f"packages that the mirror no longer has: {', '.join(gone)}",
            f"measure anew with the packages of today, or put them as NAME_VERSION.deb into {cache}",
        )
    return tuple(files)


def _by_apt(names: Sequence[str], root: _apt.AptRoot, mirrors: Mirrors, suite: str) -> Iterator[ArchivePackage]:
    ended = process.run((*_apt_get(root, mirrors, suite), "--print-uris", "install", *names), timeout_s=300)
    if ended.status:
        raise _unresolved(ended.out + ended.err, root, mirrors, suite)
    return (_package(match, mirrors, suite) for match in _URI.finditer(ended.out))


def _without_apt(names: Sequence[str], root: _apt.AptRoot, mirrors: Mirrors, suite: str) -> Iterator[ArchivePackage]:
    packages = Suite(root, mirrors, suite)
    for name in names:
        if name not in packages.names:
            raise _unknown(name, suite, root, packages.names)
    return (
        ArchivePackage(name=one.name, version=one.version, sha256=one.sha256, suite=suite, pool=quoted(one.path))
        for one in packages.closure(names)
    )


def _apt_get(root: _apt.AptRoot, mirrors: Mirrors, suite: str) -> tuple[str, ...]:
    """apt-get on an empty system that has this one release alone; the lists are those of the whole root."""
    _apt.prepare(root, mirrors)
    parts = Path(root.directory) / f"sources-{suite}"
    key = f"Signed-By: {mirrors.main.signed_by}\n" if mirrors.main.signed_by else ""
    text = f"Types: deb\nURIs: {mirrors.main.uri}\nSuites: {suite}\nComponents: main\n{key}"
    write_atomic(parts / "kassay.sources", text.encode())
    return ("apt-get", "-c", root.configuration, *_apt.WITH_CACHE, "-o", f"Dir::Etc::sourceparts={parts}",
            "-y", "--no-install-recommends")  # fmt: skip


def _package(match: re.Match[str], mirrors: Mirrors, suite: str) -> ArchivePackage:
    uri, name, version, sha256 = match.groups()
    pool = uri.removeprefix(mirrors.main.uri.rstrip("/")).lstrip("/")
    return ArchivePackage(name=name, version=version.replace("%3a", ":"), sha256=sha256, suite=suite, pool=pool)


def _unresolved(output: str, root: _apt.AptRoot, mirrors: Mirrors, suite: str) -> BadInput | HostLacks:
    """The error for what apt printed."""
    unknown = _UNKNOWN.findall(output)
    if unknown:
        argv = ("apt-cache", *_apt_get(root, mirrors, suite)[1:-2], "pkgnames")
        return _unknown(unknown[0], suite, root, process.run(argv, timeout_s=300).out.split())
    reason = next(iter(re.findall(r"^E: (.*)$", output, re.M)), output.strip()[:200] or "apt-get failed")
    unmet = " ".join(line.strip() for line in output.splitlines() if "Depends:" in line)[:300]
    return BadInput(f"the packages cannot be resolved in {suite}: {unmet or reason}", "name others")


def _unknown(name: str, suite: str, root: _apt.AptRoot, known: Collection[str]) -> BadInput:
    near = nearest(name, known)
    remedy = f"did you mean {near}?" if near else "search the names of packages with apt-cache search"
    return BadInput(f"package {name}: {suite} has none for {root.arch}", remedy)
