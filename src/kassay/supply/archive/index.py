# SPDX-License-Identifier: GPL-2.0-only
"""The kernel packages of the archive: read from apt's lists, stored as a small index, refreshed once a day."""

import mmap
import re
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from kassay.effects import clock
from kassay.effects.files import (
    cache_directory,
    disk_errors,
    kept_record,
    set_mode,
    sha256_file,
    swept,
    write_atomic,
)
from kassay.effects.lock import locked, waiting
from kassay.effects.second_cache import take_from_usual
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, to_json
from kassay.supply.arches import arch_of
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.mirrors import Mirrors, host_mirrors

_FRESH = timedelta(hours=24)
_TRY_AGAIN = timedelta(hours=1)
"""Time after which a refused suite is read again: a mirror that was just being updated must not hide its kernels for
a day."""
# Out of 69 000 stanzas of a list: 0.3 s; deb822 of python-debian, which parses every one, needs 5 s for a list.
_STANZA = re.compile(rb"^Package: linux-(?:image|binary|modules|base)-\d.*?(?:\n\n|\Z)", re.M | re.S)
_NAME = re.compile(r"linux-(image|binary|modules|base)-((\d+\.[^-]*(?:-(?:rc)?\d+)?)-([a-z0-9][a-z0-9-]*))")
# Meta-packages carry the same names as kernels, but no files: a few kB.
_REAL_KERNEL_BYTES = 1 << 20


class Package(Record, frozen=True, kw_only=True):
    """One package."""

    name: str
    kind: str
    """image, binary, modules or base."""
    release: str
    """Release, as `uname -r` prints it."""
    flavour: str
    version: str
    suite: str
    uri: str
    size_bytes: int
    sha256: str

    @property
    def is_kernel(self) -> bool:
        """True if the package contains a bootable image. Metapackages only list other packages."""
        return self.kind in ("image", "binary") and self.size_bytes >= _REAL_KERNEL_BYTES


class Index(Record, frozen=True, kw_only=True):
    """All kernel packages of one architecture."""

    made: str
    """Time of the scan, UTC."""
    packages: tuple[Package, ...]
    notes: tuple[str, ...] = ()
    """Text that earlier versions wrote instead of `unread`."""
    unread: tuple[_apt.UnreadSuite, ...] = ()
    """Suites that are missing, or were read earlier than that."""

    @property
    def fresh(self) -> bool:
        """Scanned within the last day, or hour when a suite was refused, by this host's clock."""
        age = datetime.fromisoformat(clock.utc_now()) - datetime.fromisoformat(self.made)
        refused = any(suite.reason for suite in self.unread)
        return timedelta(0) <= age < (_TRY_AGAIN if refused else _FRESH)

    def companion(self, kernel: Package, kind: str) -> Package | None:
        """The package of another kind that belongs to `kernel`."""
        same = (p for p in self.packages if p.kind == kind and p.release == kernel.release)
        return next((p for p in same if p.version == kernel.version), None)


_failed: dict[str, tuple[float, HostLacks]] = {}
"""Directory of a root -> when it was last tried in vain, and why: a kernel that waited for it is not tried again."""


def load_index(arch: str) -> Index | None:
    """The stored index, however old, or None."""
    return kept_record(_index_file(_apt.root_for(host_mirrors(), arch)), Index)


def current_index(arch: str, tell: Tell, *, refresh: bool = False) -> Index:
    """The index, refreshed when it is older than a day or on request.

    Without network the old one is used, which `tell` reports; raises HostLacks when there is none.
    """
    mirrors = host_mirrors()
    root = _apt.root_for(mirrors, arch)
    before = kept_record(_index_file(root), Index)
    if before and before.fresh and not refresh:
        return before
    asked = clock.monotonic_s()
    with locked(Path(root.directory) / "lock", waiting(tell, f"{arch} package lists")):
        stored = kept_record(_index_file(root), Index)
        if stored and stored.fresh and (not refresh or stored != before):
            return stored
        failed, why = _failed.get(root.directory, (0.0, None))
        try:
            if why is not None and failed > asked:  # while this thread waited
                raise why
            return _refresh(root, mirrors, tell)
        except HostLacks as error:
            _failed[root.directory] = (clock.monotonic_s(), error)
            if stored is None or refresh:
                raise
            text = f"{error.what}; using the list of {stored.made}"
            tell(Progress(stage="kernels", subject=f"{arch} package lists", text=text))
            return stored


def _refresh(root: _apt.AptRoot, mirrors: Mirrors, tell: Tell) -> Index:
    subject = f"{root.arch} package lists"
    _apt.prepare(root, mirrors)
    _apt.learn_codenames(root, mirrors, tell)
    _apt.prepare(root, mirrors)
    unread = _apt.update(root, mirrors, tell)
    for suite in unread:
        tell(Progress(stage="kernels", subject=subject, text=suite.text))
    tell(Progress(stage="kernels", subject=subject, text="scanning"))
    packages = tuple(p for listed in _apt.package_lists(root, mirrors) for p in _scan_list(root, listed))
    if not packages:
        what = f"{mirrors.main.uri}: no kernel packages in its lists{_apt.unread_lines(unread)}"
        raise HostLacks(what, "name another mirror in KASSAY_MIRROR or apt's sources")
    index = Index(made=clock.utc_now(), packages=packages, unread=unread)
    write_atomic(_index_file(root), to_json(index))
    return index


def _scan_list(root: _apt.AptRoot, listed: _apt.PackageList) -> Iterator[Package]:
    for text in stanzas(root, listed, _STANZA):
        if package := parse_stanza(text, listed.uri, listed.suite):
            yield package


def stanzas(root: _apt.AptRoot, listed: _apt.PackageList, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """The parts of a list that match a pattern."""
    with disk_errors(Path(root.directory)), tempfile.TemporaryDirectory(dir=root.directory) as scratch:
        text = Path(scratch, "list")
        _apt.unpacked(root, listed.path, text)
        if text.stat().st_size == 0:
            return
        with text.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for match in pattern.finditer(data):
                yield match.group().decode("utf-8", "replace")


def parse_stanza(text: str, uri: str, suite: str) -> Package | None:
    """One stanza of a Packages file, or None when it is no kernel (headers, debug symbols, unsigned twins)."""
    fields = dict(line.partition(": ")[::2] for line in text.splitlines() if line[:1].strip())
    name = _NAME.fullmatch(fields.get("Package", ""))
    if not name or name.group(4).endswith(("-dbg", "-unsigned", "-template")):
        return None
    if not all(fields.get(f) for f in ("Version", "Filename", "Size", "SHA256")) or not fields["Size"].isdigit():
        return None
    return Package(
        name=fields["Package"],
        kind=name.group(1),
        release=name.group(2),
        flavour=name.group(4),
        version=fields["Version"],
        suite=suite,
        uri=f"{uri.rstrip('/')}/{quoted(fields['Filename'])}",
        size_bytes=int(fields["Size"]),
        sha256=fields["SHA256"],
    )


class NotOnMirror(HostLacks):
    """The mirror no longer has a package that the list names: the list is too old."""


def package_file(name: str, version: str, arch: str) -> Path:
    """The path of a package in the cache."""
    return cache_directory() / "packages" / arch / f"{name}_{version}.deb"


def fetched_package(package: Package, arch: str, tell: Tell) -> Path:
    """The package's file, read-only in the cache; downloaded when it is not there or damaged.

    Raises NotOnMirror, or HostLacks when the mirror cannot be reached.
    """
    return fetched_file(package.name, package.version, package.uri, package.sha256, arch, tell)


def fetched_file(name: str, version: str, uri: str, sha256: str, arch: str, tell: Tell) -> Path:
    """Same as fetched_package(), for any package whose address and hash are known. version: without ":"."""
    final = package_file(name, version, arch)
    with locked(final.with_name(f".{final.name}.lock"), waiting(tell, name)):
        whole = final.is_file() and sha256_file(final) == sha256
        if not whole and not take_from_usual(final, sha256):
            _download(f"{name} {version}", uri, sha256, arch, final, tell)
    return final


def unlisted_package(name: str, version: str, arch: str, tell: Tell) -> Path:
    """A package of the source package linux that no list has any more, from its usual address on the mirror.

    No list has its hash: it may be read for facts about a kernel, and never be booted. Raises NotOnMirror, HostLacks.
    """
    file = f"{name}_{version}_{arch_of(arch).debian}.deb"
    final = cache_directory() / "packages" / arch / "unsigned" / file
    with locked(final.with_name(f".{final.name}.lock"), waiting(tell, name)):
        if not final.is_file():
            uri = f"{host_mirrors().main.uri.rstrip('/')}/pool/main/l/linux/{quoted(file)}"
            _download(f"{name} {version}", uri, None, arch, final, tell)
    return final


def quoted(path: str) -> str:
    """A path as it stands in an address."""
    return path.replace("+", "%2b").replace("~", "%7e")


def _download(subject: str, uri: str, sha256: str | None, arch: str, final: Path, tell: Tell) -> None:
    """Downloads a file to `final`, whole and read-only. Raises NotOnMirror, HostLacks."""
    mirrors = host_mirrors()
    root = _apt.root_for(mirrors, arch)
    _apt.prepare(root, mirrors)
    with disk_errors(final), swept(final.with_name(f".{final.name}.partial")) as scratch:
        partial = scratch / final.name
        reason = _apt.download(root, uri, sha256, partial, tell)
        if not reason:
            set_mode(partial, 0o444)
            partial.replace(final)
            return
    if re.search(r"\b404\b|File not found|Failed to stat", reason):
        raise NotOnMirror(f"{subject}: no longer on the mirror", "choose another version")
    raise HostLacks(f"{subject}: {reason}", "check the network and repeat the command")


def _index_file(root: _apt.AptRoot) -> Path:
    return Path(root.directory) / "kernels.json"
