# SPDX-License-Identifier: GPL-2.0-only
"""Lists of the archive: stanzas of packages, and the sources of a host's apt."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import text_of
from kassay.supply.archive.index import parse_stanza
from kassay.supply.archive.mirrors import deb822_entries, one_line_entries
from kassay.supply.archive.versions import choose

_STANZA = b"""Package: linux-image-6.12.117+deb13-cloud-amd64
Version: 6.12.117-1
Filename: pool/main/l/linux/linux-image-6.12.117+deb13-cloud-amd64_6.12.117-1_amd64.deb
Size: 33000000
SHA256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
"""


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield _STANZA
    yield b"deb [signed-by=/a.gpg arch=amd64] http://archive.example/debian trixie main\n"
    yield b"Types: deb deb-src\nURIs: http://archive.example/debian\nSuites: trixie\nSigned-By:\n -----BEGIN\n .\n x\n"


def _run(data: bytes) -> None:
    text = text_of(data)
    package = parse_stanza(text, "http://archive", "trixie")
    if package is not None:
        choose("6.12", (package.version, "6.12.1-1"))
    list(one_line_entries(text))
    list(deb822_entries(text))


TARGET = Target("lists of the archive", _seeds, _run)
