# SPDX-License-Identifier: GPL-2.0-only
"""List of the kernel sources that the archive has, read from its lists and stored. It is as new as the kernel
index."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kassay.effects.files import disk_errors, kept_record, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, to_json
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.index import Index, current_index, quoted, stanzas
from kassay.supply.archive.mirrors import Mirrors, host_mirrors
from kassay.supply.archive.versions import series_of, upstream_of, version_key

_TARBALL = re.compile(r"^ ([0-9a-f]{64}) (\d+) (\S+\.orig\.tar\.xz)$", re.M)
_SOURCE = re.compile(rb"^Package: linux\n.*?(?:\n\n|\Z)", re.M | re.S)
_PACKAGE = re.compile(rb"^Package: linux-source-\d\S*\n.*?(?:\n\n|\Z)", re.M | re.S)
_UNSIGNED = "unsigned: no list of the archive has its hash any more"


class SourceFile(Record, frozen=True, kw_only=True):
    """One way to a version's sources."""

    uri: str
    sha256: str | None
    """Hash of the file; None if no signed list has it."""
    provenance: str
    """Origin in words."""
    size: int | None = None
    """Bytes; None if no list has it."""


class SourceVersion(Record, frozen=True, kw_only=True):
    """One version of the package linux, as Debian writes it, and the ways to its sources."""

    version: str
    files: tuple[SourceFile, ...]


class SourceList(Record, frozen=True, kw_only=True):
    """Every version, oldest first."""

    made: str
    """Time of the scan of the kernel index that it was made with."""
    versions: tuple[SourceVersion, ...]
    unread: tuple[_apt.UnreadSuite, ...] = ()
    """Suites that are missing, or were read earlier than that, as in Index."""


def root_of(types: str) -> _apt.AptRoot:
    """apt's private root with the lists of packages ("deb") or of sources ("deb-src")."""
    return _apt.root_for(host_mirrors(), "x86_64", types)


def listed_sources(tell: Tell) -> SourceList:
    """The sources that the archive has. Raises HostLacks without network when nothing was listed before."""
    index = current_index("x86_64", tell)
    path = Path(root_of("deb-src").directory) / "sources.json"
    stored = kept_record(path, SourceList)
    if stored is None or stored.made != index.made:
        with locked(path.with_name("lock"), waiting(tell, "lists of sources")):
            stored = kept_record(path, SourceList)
            if stored is None or stored.made != index.made:
                stored = _refresh(stored, index, tell)
                write_atomic(path, to_json(stored))
    return stored


def _refresh(stored: SourceList | None, index: Index, tell: Tell) -> SourceList:
    """A new list; without network the old one is used, which `tell` reports."""
    mirrors, root, subject = host_mirrors(), root_of("deb-src"), "lists of sources"
    with disk_errors(Path(root.directory)):
        Path(root.directory).mkdir(parents=True, exist_ok=True)
        names = Path(root_of("deb").directory) / "codenames"
        if names.is_file():
            shutil.copyfile(names, Path(root.directory) / "codenames")
    try:
        _apt.prepare(root, mirrors)
        unread = _apt.update(root, mirrors, tell)
    except HostLacks as error:
        if stored is None:
            raise
        tell(Progress(stage="source", subject=subject, text=f"{error.what}; using an older one"))
        return msgspec.structs.replace(stored, made=index.made)
    for suite in unread:
        if suite not in index.unread:  # those were named when it was made
            tell(Progress(stage="source", subject=subject, text=suite.text))
    tell(Progress(stage="source", subject=subject, text="reading"))
    files: dict[str, list[SourceFile]] = {}
    for version, file in (*_tarballs(root, mirrors), *_packages(mirrors), *_unlisted(index, mirrors.main.uri)):
        same = files.setdefault(version, [])
        same += [] if file in same else [file]
    ordered = sorted(files, key=version_key)
    versions = tuple(SourceVersion(version=v, files=tuple(files[v])) for v in ordered)
    return SourceList(made=index.made, versions=versions, unread=unread)


def _tarballs(root: _apt.AptRoot, mirrors: Mirrors) -> Iterator[tuple[str, SourceFile]]:
    for uri, stanza in _stanzas(root, mirrors, _SOURCE):
        version, folder = _field(stanza, "Version"), _field(stanza, "Directory")
        if version and folder and (match := _TARBALL.search(stanza)):
            sha256, size, name = match.groups()
            file, provenance = _uri(uri, f"{folder}/{name}"), f"the archive's tarball {name} of the upstream release"
            yield version, SourceFile(uri=file, sha256=sha256, provenance=provenance, size=int(size))


def _packages(mirrors: Mirrors) -> Iterator[tuple[str, SourceFile]]:
    for uri, stanza in _stanzas(root_of("deb"), mirrors, _PACKAGE):
        version, path, sha256, size = (_field(stanza, name) for name in ("Version", "Filename", "SHA256", "Size"))
        if version and path and sha256:
            provenance = f"{_field(stanza, 'Package')} {version}, with Debian's patches"
            bytes_ = int(size) if size else None
            yield version, SourceFile(uri=_uri(uri, path), sha256=sha256, provenance=provenance, size=bytes_)


def _unlisted(index: Index, uri: str) -> Iterator[tuple[str, SourceFile]]:
    """The source package of each kernel, at its usual address on the mirror."""
    for version in {p.version for p in index.packages if p.is_kernel and p.flavour == "cloud-amd64"}:
        name = f"linux-source-{series_of(upstream_of(version))}"
        path = _uri(uri, f"pool/main/l/linux/{name}_{version}_all.deb")
        provenance = f"{name} {version}, with Debian's patches; {_UNSIGNED}"
        yield version, SourceFile(uri=path, sha256=None, provenance=provenance)


def _stanzas(root: _apt.AptRoot, mirrors: Mirrors, pattern: re.Pattern[bytes]) -> Iterator[tuple[str, str]]:
    """The parts of all lists that match a pattern, each with the address of its mirror."""
    for listed in _apt.package_lists(root, mirrors):
        yield from ((listed.uri, text) for text in stanzas(root, listed, pattern))


def _field(stanza: str, name: str) -> str:
    match = re.search(rf"^{name}: (.*)$", stanza, re.M)
    return match[1].strip() if match else ""


def _uri(mirror: str, path: str) -> str:
    return f"{mirror.rstrip('/')}/{quoted(path)}"
