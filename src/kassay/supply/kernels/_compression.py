# SPDX-License-Identifier: GPL-2.0-only
"""The compressions that kernel images and modules use, recognised by their first bytes."""

import bz2
import lzma
import struct
import tempfile
import zlib
from pathlib import Path

import zstandard

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.files import disk_errors
from kassay.errors import BadInput, HostLacks

_GZIP, _XZ, _LZMA, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x5d\x00\x00", b"\x28\xb5\x2f\xfd"
_LZ4_LEGACY = b"\x02\x21\x4c\x18"  # the only form the kernel's build makes
_LZO = b"\x89LZO"
_BZIP2 = b"BZh"
# The kernel is compressed with windows up to 128 MiB (zstd -22 --ultra), above the library's default.
_ZSTD_WINDOW = 1 << 31


def is_compressed(data: bytes) -> bool:
    """True if the first bytes belong to a known compression format, supported or not."""
    return data.startswith((_GZIP, _XZ, _ZSTD, _BZIP2, _LZMA, _LZ4_LEGACY, _LZO))


def decompress(data: bytes, where: str) -> bytes:
    """The content; bytes after the end of the stream are ignored, as the kernel's own images carry some.

    Raises BadInput, naming `where`, when it is truncated, damaged or of an unsupported
    kind, HostLacks when it needs the program lz4 and that is not there.
    """
    if data.startswith(_LZO):
        raise BadInput(f"{where}: compressed with lzo, which is not supported", "give the uncompressed image")
    try:
        content = _content(data)
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError) as error:
        raise BadInput(
            f"{where}: the compressed kernel inside is damaged ({error})", "fetch or build it again"
        ) from error
    if content is None:
        raise BadInput(f"{where}: the compressed kernel inside is cut short", "fetch or build it again")
    return content


def _content(data: bytes) -> bytes | None:
    """The decompressed stream, None when its end is missing."""
    if data.startswith(_GZIP):
        inflater = zlib.decompressobj(wbits=31)
        content = inflater.decompress(data)
        return content if inflater.eof else None
    if data.startswith(_ZSTD):
        unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        content = unpacker.decompress(data)
        return content if unpacker.eof else None
    if data.startswith(_LZ4_LEGACY):
        return _lz4(data)
    other = bz2.BZ2Decompressor() if data.startswith(_BZIP2) else lzma.LZMADecompressor()
    content = other.decompress(data)
    return content if other.eof else None


def _lz4(data: bytes) -> bytes | None:
    """Legacy frames: the magic, then blocks with their length in front; a bzImage adds 4 bytes, the content's size."""
    if process.find("lz4") is None:
        raise HostLacks(
            "this kernel is compressed with lz4, which is not on this host", f"install it: {install('lz4')}"
        )
    end = len(_LZ4_LEGACY)
    while end + 4 <= len(data):
        following = end + 4 + struct.unpack_from("<I", data, end)[0]
        if following > len(data):
            break
        end = following
    if len(data) - end not in (0, 4):
        return None
    with disk_errors(Path(tempfile.gettempdir())), tempfile.NamedTemporaryFile() as packed:
        packed.write(data[:end])
        packed.flush()
        with tempfile.TemporaryFile() as content:
            child = process.start(("lz4", "-d", "-c", "-q", packed.name), out=content, err=None)
            if child.wait():
                raise EOFError("lz4 cannot decode it")
            content.seek(0)
            return content.read()
