# SPDX-License-Identifier: GPL-2.0-only
"""Lists and files of the archive on a host without apt: fetched, and checked by signature and hash, by kassay itself.

A suite's file InRelease is signed and has the hash of each list. A list has the hash of each package.
"""

import re
import shutil
import tempfile
from contextlib import ExitStack
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

from kassay.effects import clock
from kassay.effects.distribution import install
from kassay.effects.fetching import NoSuchFile, fetch
from kassay.effects.files import disk_errors, sha256_file
from kassay.errors import BadInput, HostLacks
from kassay.supply.archive import keys
from kassay.supply.packages import deb
from kassay.supply.packages.unpacking import Part, unpacked, whole

_KEYRING = "debian-archive-keyring"
_ABSENT = "File not found"
_SUFFIXES = (".xz", ".gz", "")
_BEGIN, _SIGNATURE, _END = (f"-----{words}-----\n" for words in (
    "BEGIN PGP SIGNED MESSAGE", "BEGIN PGP SIGNATURE", "END PGP SIGNATURE"))  # fmt: skip
_SIGNED = re.compile(rf"{_BEGIN}(?:\w[^\n]*\n)*\n(.*)\n({_SIGNATURE}.*{_END})", re.S)
_LISTED = re.compile(r"^ ([0-9a-f]{64}) +\d+ (\S+)$", re.M)


class Signature(NamedTuple):
    """Keys that must sign a suite."""

    keyring: Path
    fingerprints: frozenset[str] | None
    """Fingerprints of the keys in the keyring that count; None for all of them."""


def download(uri: str, sha256: str | None, into: Path) -> str | None:
    """Fetches one file, which must have this hash when it is known. Returns None, or the reason for the failure."""
    with disk_errors(into):
        try:
            fetch(_plain(uri), into)
        except NoSuchFile as error:
            return f"{_ABSENT}: {error.what}"
        except HostLacks as error:
            return error.what
    if sha256 and sha256_file(into) != sha256:
        into.unlink()
        return f"Hash Sum mismatch: {uri}"
    return None


def update_suite(archive: str, suite: str, name: str, lists: Path, signature: Signature) -> str | None:
    """Brings one list of a suite up to date. Returns None, or why it could not be; "" if the mirror has no such suite.

    archive: the mirror's address. name: of the list below the suite, such as main/binary-amd64/Packages.
    """
    base = f"{archive.rstrip('/')}/dists/{suite}"
    final = lists / f"x_dists_{suite}_{name.replace('/', '_')}"
    with disk_errors(lists), tempfile.TemporaryDirectory(dir=lists / "partial") as scratch:
        release = Path(scratch, "InRelease")
        if reason := download(f"{base}/InRelease", None, release):
            return "" if reason.startswith(_ABSENT) else reason
        parts = _SIGNED.fullmatch(release.read_text("utf-8", "replace"))
        if parts is None:
            return "its file InRelease is not signed"
        text = "\n".join(line.removeprefix("- ").rstrip(" \t\r") for line in parts[1].split("\n"))
        # What the signature is of, RFC 9580 7.2. The text that is read below is the one that is checked here.
        content, signed = Path(scratch, "text"), Path(scratch, "signature")
        content.write_bytes(text.replace("\n", "\r\n").encode("utf-8"))
        signed.write_text(parts[2])
        if reason := keys.refusal(content, signed, *signature) or _stale(text, suite):
            return reason
        hashes = {path: sha256 for sha256, path in _LISTED.findall(text.partition("\nSHA256:")[2])}
        suffix = next((suffix for suffix in _SUFFIXES if f"{name}{suffix}" in hashes), None)
        if suffix is None:
            return f"its file InRelease names no {name}"
        sha256, stored = hashes[f"{name}{suffix}"], final.with_name(final.name + suffix)
        if not stored.is_file() or sha256_file(stored) != sha256:
            folder = name.rpartition("/")[0]
            by_hash = f"{folder}/by-hash/SHA256/{sha256}" if "\nAcquire-By-Hash: yes" in text else f"{name}{suffix}"
            if reason := download(f"{base}/{by_hash}", sha256, Path(scratch, "list")):
                return reason
            for older in lists.glob(f"{final.name}*"):
                older.unlink()
            Path(scratch, "list").replace(stored)
        release.replace(lists / f"x_dists_{suite}_InRelease")
    return None


def unpack(path: Path, into: Path) -> None:
    """Writes a list as text to `into`."""
    with ExitStack() as stack, whole(path, "list"):
        file, out = stack.enter_context(path.open("rb")), stack.enter_context(into.open("wb"))
        shutil.copyfileobj(stack.enter_context(unpacked(Part(file, 0, path.stat().st_size))), out, 1 << 20)


def fetch_keyring(archive: str, into: Path) -> None:
    """Writes the archive's keyring, as its own package has it: nothing of it is checked, see keys.FINGERPRINTS.

    Raises HostLacks if it cannot be had.
    """
    base = archive.rstrip("/")
    with disk_errors(into), tempfile.TemporaryDirectory(dir=into.parent) as scratch:
        packed, listed, package = (Path(scratch, name) for name in ("packed", "list", "package.deb"))
        reason = download(f"{base}/dists/stable/main/binary-amd64/Packages.xz", None, packed)
        if reason is None:
            unpack(packed, listed)
            stanza = re.search(rf"^Package: {_KEYRING}\n(?:.+\n)*", listed.read_text("utf-8"), re.M)
            path = re.search(r"^Filename: (\S+)$", stanza[0], re.M) if stanza else None
            reason = download(f"{base}/{path[1]}", None, package) if path else "the archive has no such package"
        if reason is not None:
            raise HostLacks(
                f"the archive's keyring could not be fetched: {reason}",
                f"check the mirror and the network; or {install(_KEYRING)}",
            )
        try:
            with deb.opened(package) as opened:
                found = (opened.contents.find(f"usr/share/keyrings/{name}") for name in keys.NAMES)
                data = next((data for data in found if data), None)
        except BadInput as error:
            raise HostLacks(error.what, "name another mirror") from error
        if data is None:
            raise HostLacks("the archive's package debian-archive-keyring holds no keyring", install(_KEYRING))
        Path(scratch, "keyring").write_bytes(data)
        Path(scratch, "keyring").replace(into)


def _stale(release: str, suite: str) -> str:
    """Why a signed Release is not the present one of this suite; "" if it is."""
    fields = dict(line.partition(": ")[::2] for line in release.splitlines() if line[:1].isalpha())
    if suite not in (fields.get("Suite"), fields.get("Codename")):
        return f"its file InRelease is that of {fields.get('Codename') or fields.get('Suite')}"
    until = fields.get("Valid-Until")
    if until and parsedate_to_datetime(until) < datetime.fromisoformat(clock.utc_now()):
        return f"Release file for {suite} is expired (valid until {until})"
    return ""


def _plain(uri: str) -> str:
    """An address as apt writes it ("file:/srv/debian"), as others do."""
    return re.sub(r"^(?:file|copy):/+", "file:///", uri)
