# SPDX-License-Identifier: GPL-2.0-only
"""The mirror of the Debian archive and its signing key: as KASSAY_MIRROR, else this host's apt configuration names it.

apt has two file formats, which are both read.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from kassay.effects import process
from kassay.effects.background import Once
from kassay.errors import BadInput, HostLacks
from kassay.model.records import Record
from kassay.supply.archive.keys import keyring_of_host

OWN_KEYS = "kassay"
_VARIABLE = "KASSAY_MIRROR"
_OFF = ("0", "disable", "false", "no", "off", "without")
"""Values that apt takes for false (StringToBool())."""
_ARCHIVE = re.compile(r"/(debian|debian-security)(?:\.list)?/?$")


class Mirror(Record, frozen=True, kw_only=True):
    """One archive."""

    uri: str
    signed_by: str
    """Key file or embedded key as the host has it; "" for apt's trusted keys, OWN_KEYS for those that kassay knows."""


class Mirrors(Record, frozen=True, kw_only=True):
    """The Debian archive and, where the host names one, its security archive."""

    main: Mirror
    security: Mirror | None


@Once
def host_mirrors() -> Mirrors:
    """The mirrors in KASSAY_MIRROR, else in the host's apt sources. Raises HostLacks when neither names the archive."""
    mirrors: dict[str, Mirror] = {}
    for uri in process.variable(_VARIABLE).split():
        match = _ARCHIVE.search(uri)
        if match is None or "://" not in uri:
            raise BadInput(f"{_VARIABLE}: {uri} is no mirror of the Debian archive",
                           "write one that ends in /debian; one that ends in /debian-security may follow")  # fmt: skip
        mirrors[match[1]] = Mirror(uri=uri, signed_by=str(keyring_of_host() or OWN_KEYS))
    for path in _source_files() if "debian" not in mirrors else ():
        text = path.read_text("utf-8", "replace")
        for mirror in deb822_entries(text) if path.suffix == ".sources" else one_line_entries(text):
            if match := _ARCHIVE.search(mirror.uri):
                mirrors.setdefault(match.group(1), Mirror(uri=_plain(mirror.uri), signed_by=mirror.signed_by))
    if "debian" not in mirrors:
        raise HostLacks(
            "neither KASSAY_MIRROR nor apt's sources name a Debian archive (an address that ends in /debian)",
            "set KASSAY_MIRROR to the address of a mirror (Debian has a list), or use image:PATH, rpm: or pacman:",
        )
    return Mirrors(main=mirrors["debian"], security=mirrors.get("debian-security"))


def _plain(uri: str) -> str:
    """The first mirror of a "mirror+file:" list, as Debian's cloud images have it: apt-helper needs a plain one."""
    if not uri.startswith("mirror+file:"):
        return uri
    path = Path("/" + uri.removeprefix("mirror+file:").lstrip("/"))
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise HostLacks(f"apt's mirror list {path}: {error.strerror}", "correct this host's apt sources") from error
    first = next((line.split()[0] for line in lines if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise HostLacks(f"apt's mirror list {path} names no mirror", "correct this host's apt sources")
    return first


def _source_files() -> Iterator[Path]:
    if process.find("apt-config") is None:
        return
    shown = process.run(("apt-config", "shell", "L", "Dir::Etc::sourcelist/f", "P", "Dir::Etc::sourceparts/d"))
    values = dict(word.partition("=")[::2] for word in shlex.split(shown.out))
    if Path(values.get("L", "")).is_file():
        yield Path(values["L"])
    parts = Path(values.get("P", ""))
    if values.get("P") and parts.is_dir():
        yield from sorted(p for p in parts.iterdir() if p.suffix in (".list", ".sources") and p.is_file())


def one_line_entries(text: str) -> Iterator[Mirror]:
    """Entries of a sources.list: `deb [signed-by=FILE ...] URI SUITE COMPONENT...`."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^]]*)\]\s*)?(\S+)", line)
        if match:
            options = dict(word.partition("=")[::2] for word in (match.group(1) or "").split())
            yield Mirror(uri=match.group(2), signed_by=options.get("signed-by", "").replace(",", " "))


def deb822_entries(text: str) -> Iterator[Mirror]:
    """Entries of a *.sources file, one per URI."""
    from debian.deb822 import Deb822  # only the host's own files are read by it: of a list it would parse every stanza

    for stanza in Deb822.iter_paragraphs(text.splitlines(), use_apt_pkg=False):
        if "deb" in stanza.get("Types", "").split() and stanza.get("Enabled", "yes").strip().lower() not in _OFF:
            for uri in stanza.get("URIs", "").split():
                yield Mirror(uri=uri, signed_by=stanza.get("Signed-By", "").strip(" \t"))
