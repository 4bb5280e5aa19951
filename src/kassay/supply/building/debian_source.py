# SPDX-License-Identifier: GPL-2.0-only
"""debian-source:7.3: kernel sources from the Debian archive.

Three sources, best first: the upstream release in the archive (deb-src: orig.tar.xz, its hash signed); when the mirror
no longer has it, the package linux-source-X (hash signed; with Debian's patches); when no list has that package any
more, the same package from its usual address on the mirror (no signed hash; the provenance says so).
"""

import re
import shutil
from contextlib import ExitStack
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors, sha256_file, swept
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Progress, Tell
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.deb import tar_of
from kassay.supply.archive.sources_list import SourceFile, listed_sources, root_of
from kassay.supply.archive.versions import choose, is_exact, unknown_version, upstream_of
from kassay.supply.building.tarball import unpack_sources
from kassay.supply.packages.unpacking import Part, unpacked, whole

_PACKED = ("deb", "tar.xz")
"""Suffixes of a release's file in the cache."""


def exact_version(version: str, tell: Tell) -> str:
    """The newest release that `version` ("7.3", "7.3.4") names. Raises BadInput that lists what there is."""
    if is_exact(version) and _packed(version):
        return version
    listed = listed_sources(tell)
    known = [source.version for source in listed.versions]
    chosen = choose(version, known)
    if chosen is None:
        raise unknown_version(f"debian-source:{version}", version, "kernel sources", known, listed.unread)
    return upstream_of(chosen)


def debian_source(version: str, tell: Tell, sha256: str = "") -> tuple[Path, str]:
    """A directory with the sources of one release ("7.3.4", see exact_version()), and where they are from.

    sha256: of the file that must be the one; "" for the best that the archive has. The directory is the caller's: read
    it, then discard() it. Raises BadInput, or HostLacks when the archive has it no more.
    """
    name = file_name(version, sha256)
    subject = f"debian-source:{version}"
    final = cache_directory() / "sources" / "trees" / name
    with locked(final.with_name(f".{final.name}.lock"), waiting(tell, subject)):
        archive, provenance = _archive_file(version, name, sha256, tell)
        if not final.is_dir():
            tell(Progress(stage="source", subject=subject, text=f"unpacking {archive.name}"))
            _unpack(archive, final)
    return final, provenance


def missing_file(version: str, tell: Tell) -> SourceFile | None:
    """The file of a release's sources that debian_source() fetches; None if the cache has one. Raises BadInput."""
    return None if _packed(version) else _files(version, tell)[0]


def size_text(file: SourceFile) -> str:
    """ "151 MB"."""
    return "of unknown size" if file.size is None else f"{file.size / 1e6:.0f} MB"


def file_name(version: str, sha256: str = "") -> str:
    """Name of a release's files in the cache. The archive may have had another file under the same version."""
    return version.replace("/", "_") + (f"+{sha256[:12]}" if sha256 else "")


def discard(directory: Path) -> None:
    """Removes an unpacked directory; the archive file stays."""
    gone = directory.with_name(f".{directory.name}.gone")
    shutil.rmtree(gone, ignore_errors=True)
    directory.rename(gone)  # in one step: an incomplete directory must not be taken for the sources
    shutil.rmtree(gone, ignore_errors=True)


def _packed(name: str) -> Path | None:
    """The file of a release's sources in the cache, or None."""
    directory = cache_directory() / "packages" / "source"
    return next((path for suffix in _PACKED if (path := directory / f"{name}.{suffix}").exists()), None)


def _archive_file(version: str, name: str, sha256: str, tell: Tell) -> tuple[Path, str]:
    """The file with a release's sources, fetched when it is not in the cache, and its provenance."""
    for known in (name, file_name(version)):
        cached, note = _packed(known), cache_directory() / "packages" / "source" / f"{known}.txt"
        if cached and note.is_file() and sha256 in (text := note.read_text("utf-8").strip()):
            return cached, text
    note, subject, reasons = note.with_name(f"{name}.txt"), f"debian-source:{version}", []
    for file in _files(version, tell, sha256):
        final = note.with_name(f"{name}.{'deb' if file.uri.endswith('.deb') else 'tar.xz'}")
        tell(Progress(stage="source", subject=subject, text=f"fetching {size_text(file)}: {file.provenance}"))
        with swept(note.with_name(f".{name}.partial")) as scratch:
            partial = scratch / final.name
            reason = _apt.download(root_of("deb"), file.uri, file.sha256 or sha256 or None, partial, tell)
            if reason is None:
                provenance = f"{version}: {file.provenance}; sha256 {file.sha256 or sha256 or sha256_file(partial)}"
                (scratch / note.name).write_text(f"{provenance}\n", "utf-8")
                (scratch / note.name).replace(note)
                partial.replace(final)
                return final, provenance
        reasons.append(f"{file.uri.rpartition('/')[2]}: {reason}")
    raise _gone(version, reasons, tell)


def _gone(version: str, reasons: list[str], tell: Tell) -> HostLacks:
    have = ", ".join(dict.fromkeys(upstream_of(source.version) for source in listed_sources(tell).versions))
    what = f"debian-source:{version}: the mirror does not give it\n  " + "\n  ".join(reasons)
    return HostLacks(what, f"check the network, or choose another version: {have}")


def _files(version: str, tell: Tell, sha256: str = "") -> list[SourceFile]:
    """Every way to a release's sources, best first; of one hash, if it is given."""
    versions = listed_sources(tell).versions
    files = [file for source in versions if upstream_of(source.version) == version for file in source.files]
    if not files:
        raise BadInput(f"debian-source:{version}: the archive has no such version", "kassay kernels list shows some")
    if sha256:
        have = "; ".join(f"{file.provenance}, sha256 {file.sha256}" for file in files)
        files = [file for file in files if file.sha256 in (None, sha256)]
        if not files:
            raise HostLacks(f"the archive has other files of it now: {have}")
    signed = {file.uri.rpartition("/")[2] for file in files if file.sha256}
    files = [file for file in files if file.sha256 or file.uri.rpartition("/")[2] not in signed]
    return sorted({f.uri: f for f in files}.values(), key=lambda f: (f.sha256 is None, not f.uri.endswith(".xz")))


def _unpack(archive: Path, final: Path) -> None:
    with swept(final.with_name(f".{final.name}.partial")) as scratch, ExitStack() as stack:
        tarball = archive if archive.suffix != ".deb" else _tarball_of_package(archive, scratch)
        (scratch / "tree").mkdir()
        file = stack.enter_context(tarball.open("rb"))
        try:
            with whole(archive, "tarball"):
                plain = stack.enter_context(unpacked(Part(file, 0, tarball.stat().st_size)))
            holds_sources = unpack_sources(plain, scratch / "tree", archive)
        except BadInput as error:
            raise HostLacks(error.what, "delete the file and repeat the command") from error
        if not holds_sources:
            raise HostLacks(f"{archive}: holds no kernel sources", "delete the file and repeat the command")
        with disk_errors(final):
            (scratch / "tree").rename(final)


def _tarball_of_package(archive: Path, scratch: Path) -> Path:
    """The tarball out of a package linux-source-X."""
    into = scratch / "linux-source.tar.xz"
    with tar_of(archive) as tar, disk_errors(into):
        names = (name for name in tar.getnames() if re.search(r"usr/src/linux-source-[^/]*\.tar\.xz$", name))
        member = next((tar.extractfile(name) for name in names), None)
        if member is None:
            raise HostLacks(f"{archive}: holds no kernel sources", "delete the file and repeat the command")
        with member, into.open("wb") as out:
            shutil.copyfileobj(member, out, 1 << 20)
    return into
