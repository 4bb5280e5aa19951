# SPDX-License-Identifier: GPL-2.0-only
"""Sources of a release out of a tarball whose signature was verified, as one tree of the store.

kernel.org signs the uncompressed archive: linux-6.12.5.tar.sign belongs to linux-6.12.5.tar.xz. A signature of the
file as it is, such as linux-6.12.5.tar.gz.asc, is accepted as well.
"""

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from kassay.effects import process
from kassay.effects.fetching import NoSuchFile, fetch
from kassay.effects.files import cache_directory, expanded, readable, sha256_file, swept, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks
from kassay.model.build import BuildSource
from kassay.model.kinds.release import Release
from kassay.model.progress import Progress, Tell
from kassay.supply.building import git
from kassay.supply.building.source import kernel_version, note
from kassay.supply.building.tarball import unpack_sources
from kassay.supply.packages.unpacking import Part, unpacked, whole

_SLOW_S = 1800
_SUFFIXES = (".sign", ".sig", ".asc")
_SIGNER = re.compile(r"^\[GNUPG:\] GOODSIG \S+ (.*)$(?s:.*)^\[GNUPG:\] VALIDSIG ([0-9A-F]{40})", re.M)


def check_release(release: Release) -> None:
    """Raises BadInput for a tarball, a signature or a key that is not there. Fetches nothing."""
    for name, path in (("tarball", release.tarball), ("signature", release.signature), ("key", release.key)):
        if path and not (expanded(path).is_file() and readable(expanded(path))):
            what = "cannot be read" if expanded(path).is_file() else "does not exist"
            raise BadInput(f"release:{release.version}: {path} {what}", f"name a file with {name}=")
    if release.tarball and not release.signature:
        _signature_beside(expanded(release.tarball))


def release_tree(release: Release, tell: Tell) -> str:
    """The tree (sha1, in the store) of a release. Raises BadInput for what is not signed, HostLacks without gpg."""
    subject = f"release:{release.version}"
    place = cache_directory() / "sources" / "releases" / release.version
    with locked(place.with_name(f"{place.name}.lock"), waiting(tell, subject)), swept(place) as scratch:
        tarball, signature = _files(release, scratch, tell)
        sha256 = sha256_file(tarball)
        with ExitStack() as stack:
            file = stack.enter_context(tarball.open("rb"))
            tell(Progress(stage="source", subject=subject, text=f"verifying {tarball.name}"))
            with whole(tarball, "tarball"):
                plain = stack.enter_context(unpacked(Part(file, 0, tarball.stat().st_size)))
            signer = _signer(release, signature, (plain, file), scratch)
            record = git.store() / "releases" / f"tarball-{sha256}"
            tree = record.read_text("ascii").strip() if record.is_file() else ""
            if not (tree and git.has_tree(tree)):
                tell(Progress(stage="source", subject=subject, text=f"unpacking {tarball.name}"))
                tree = _unpacked_tree(plain, tarball, scratch, subject, tell)
                write_atomic(record, f"{tree}\n".encode())
        found = kernel_version(tree, subject)
        if found not in (release.version, f"{release.version}.0"):
            raise BadInput(f"{subject}: {tarball.name} is Linux {found}", f"write release:{found}")
        version = f"{release.version}: {tarball.name}, signed by {signer}; sha256 {sha256}"
        note(BuildSource(base=subject, version=version, tree=tree))
    return tree


def _files(release: Release, scratch: Path, tell: Tell) -> tuple[Path, Path]:
    """The tarball and its signature; fetched from the mirror if one was named."""
    if release.tarball:
        tarball = expanded(release.tarball)
        return tarball, expanded(release.signature) if release.signature else _signature_beside(tarball)
    mirror, name = release.mirror.rstrip("/"), f"linux-{release.version}.tar"
    tried = [f"{mirror}/{name}.xz", f"{mirror}/v{release.version.partition('.')[0]}.x/{name}.xz"]
    for address in tried:
        tell(Progress(stage="fetch", subject=f"release:{release.version}", text=f"fetching {address}"))
        try:
            fetch(address, scratch / f"{name}.xz")
        except NoSuchFile:
            continue
        if release.signature:
            return scratch / f"{name}.xz", expanded(release.signature)
        fetch(f"{address.removesuffix('.xz')}.sign", scratch / f"{name}.sign")
        return scratch / f"{name}.xz", scratch / f"{name}.sign"
    raise HostLacks(f"release:{release.version}: not on the mirror (looked for {' and '.join(tried)})",
                    "name the directory that has it, or a file with tarball=PATH")  # fmt: skip


def _signature_beside(tarball: Path) -> Path:
    """The signature of a tarball in the same directory. Raises BadInput that names the files that were looked for."""
    names = [f"{name}{suffix}" for name in (tarball.stem, tarball.name) for suffix in _SUFFIXES]
    found = next((path for name in names if (path := tarball.with_name(name)).is_file()), None)
    if found is None:
        raise BadInput(f"{tarball}: no signature beside it (looked for {names[0]} and {names[-1]})",
                       "get it from where the tarball is from, or name it with signature=PATH")  # fmt: skip
    return found


def _signer(release: Release, signature: Path, signed: tuple[IO[bytes], ...], scratch: Path) -> str:
    """Name and fingerprint of who signed one of these files. Raises BadInput if nobody did whose key is known."""
    if release.key:
        argv = ["gpgv", "--status-fd", "1", "--keyring", str(_keyring(expanded(release.key), scratch))]
    else:
        argv = ["gpg", "--batch", "--no-tty", "--status-fd", "1", "--verify"]
    reason = ""
    for file in signed:
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        ended = process.run((*argv, str(signature.absolute()), "-"), stdin=file, timeout_s=_SLOW_S)
        if ended.status == 0 and (match := _SIGNER.search(ended.out)):
            return f"{match[1]}, key {match[2]}"
        reason = reason or (ended.err.strip().splitlines() or [f"{argv[0]} ended with {ended.status}"])[-1]
    keys = release.key or "your gpg keyring"
    raise BadInput(f"release:{release.version}: {signature.name} does not verify by {keys}: {reason}",
                   "name a file with the signer's public key: key=FILE; or import it: gpg --import FILE")  # fmt: skip


def _keyring(key: Path, scratch: Path) -> Path:
    """The keys as a file that gpgv reads: not armored."""
    if not key.read_bytes().lstrip().startswith(b"-----BEGIN"):
        return key.absolute()
    plain = scratch / "keys.gpg"
    ended = process.run(("gpg", "--batch", "--dearmor", "--output", str(plain), str(key.absolute())))
    if ended.status:
        raise BadInput(f"{key}: {ended.err.strip()}", "name a file with public keys, as gpg --export writes it")
    return plain


def _unpacked_tree(plain: IO[bytes], tarball: Path, scratch: Path, subject: str, tell: Tell) -> str:
    directory = scratch / "tree"
    directory.mkdir()
    if not unpack_sources(plain, directory, tarball):
        raise BadInput(f"{tarball}: holds no kernel sources", "name linux-VERSION.tar.xz")
    return git.tree_of_files(directory, tell, subject=subject)
