# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images, whole and broken."""

import bz2
import lzma
import shutil
import struct
import subprocess

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.supply.kernels._compression import decompress
from kassay.supply.kernels._image import compiler_of, take_apart
from tests.kernels import fakes

_KERNEL = fakes.vmlinux()


def _lz4(data: bytes) -> bytes:
    if shutil.which("lz4") is None:
        pytest.skip("lz4 is not on this host")
    return subprocess.run(("lz4", "-l", "-c"), input=data, capture_output=True, check=True).stdout


_PACKERS = {
    "gzip": fakes.gzip,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    "bzip2": bz2.compress,
    "zstd": zstandard.ZstdCompressor(write_content_size=False).compress,
    "lz4": _lz4,
}


@pytest.mark.parametrize("packer", _PACKERS)
def test_the_vmlinux_inside_a_bzimage_is_found(packer: str) -> None:
    payload = _PACKERS[packer](_KERNEL)
    size = b"" if packer == "gzip" else struct.pack("<I", len(_KERNEL))
    image = take_apart(fakes.bzimage(payload + size), "here")
    assert image.kernel == _KERNEL
    assert (image.arch, image.release, image.elf, image.pvh) == ("x86_64", "6.99.1-fake", True, True)
    assert image.compiler == fakes.COMPILER
    assert image.banner.startswith("Linux version 6.99.1-fake (someone@somewhere) (gcc-14")


def test_an_elf_without_the_pvh_note_says_so() -> None:
    assert take_apart(fakes.vmlinux(pvh=False), "here").pvh is False


def test_arm64_images_are_read_plain_and_compressed_and_as_efi_zboot() -> None:
    flat = fakes.arm64_image()
    packed = fakes.gzip(flat)
    zboot = b"MZ\0\0zimg" + struct.pack("<II", 64, len(packed)) + bytes(48) + packed
    for data in (flat, packed, zboot):
        image = take_apart(data, "here")
        assert (image.arch, image.kernel, image.elf, image.pvh) == ("arm64", flat, False, None)


def test_an_arm64_elf_is_known_by_its_machine() -> None:
    assert take_apart(fakes.vmlinux(machine=183), "here").arch == "arm64"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "an empty file"),
        (b"#!/bin/sh\necho no kernel\n", "a text file"),
        (bytes(range(256)), "256 bytes that start with 00 01 02 03"),
        (fakes.vmlinux(machine=243), "machine 243"),
        (b"\x89LZO" + bytes(99), "lzo"),
        (fakes.vmlinux().replace(b"Linux version", b"Minix version"), 'no "Linux version"'),
        (fakes.bzimage(b"no magic"), "damaged"),
        (fakes.bzimage(fakes.gzip(_KERNEL), protocol=0x207), "protocol 2.07"),
    ],
)
def test_what_is_no_kernel_is_named_for_what_it_is(data: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=r"^here: ") as caught:
        take_apart(data, "here")
    assert says in str(caught.value)
    assert caught.value.remedy


def test_a_bzimage_cut_short_says_by_how_much() -> None:
    whole = fakes.bzimage(fakes.gzip(_KERNEL))
    with pytest.raises(BadInput, match="cut short"):
        take_apart(whole[:-40], "here")


@pytest.mark.parametrize("packer", _PACKERS)
def test_a_truncated_stream_is_refused(packer: str) -> None:
    packed = _PACKERS[packer](_KERNEL)
    with pytest.raises(BadInput, match=r"cut short|damaged"):
        decompress(packed[: len(packed) * 2 // 3], "here")


@given(st.integers(0, 3800), st.integers(1, 255), st.integers(0, 4000))
def test_any_damage_is_refused_or_harmless(at: int, flip: int, keep: int) -> None:
    whole = bytearray(fakes.bzimage(fakes.gzip(_KERNEL)))
    whole[at % len(whole)] ^= flip
    try:
        take_apart(bytes(whole[: max(keep, 600)]), "here")
    except BadInput as error:
        assert error.what.startswith("here: ")


@given(st.binary(max_size=700))
def test_any_bytes_are_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(BadInput):
        take_apart(data, "here")


def test_the_compiler_is_read_with_its_own_parentheses() -> None:
    assert compiler_of("Linux version 1 (a@b) (clang version 19.1.7 (x (y)), LLD 19) #1") == (
        "clang version 19.1.7 (x (y)), LLD 19"
    )
    assert compiler_of("Linux version 1 (a@b)") is None
