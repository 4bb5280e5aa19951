# SPDX-License-Identifier: GPL-2.0-only
"""A kernel whose call succeeds and does nothing: a filter of system calls stands for it."""

import ctypes
import platform
import struct
import subprocess

import pytest

from kassay.supply.guest import catalog, protocol
from tests.guest.native import Programs, small

MADVISE, DONTNEED = 28, 4  # of x86_64
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _SUCCEED = 0x7FFF0000, 0x00050000
_NUMBER, _ADVICE = 0, 32  # offsets in struct seccomp_data
FILTER = (
    (_LOAD, 0, 0, _NUMBER), (_EQUAL, 0, 3, MADVISE), (_LOAD, 0, 0, _ADVICE), (_EQUAL, 0, 1, DONTNEED),
    (_RETURN, 0, 0, _SUCCEED), (_RETURN, 0, 0, _ALLOW),
)  # fmt: skip


def without_dontneed() -> None:
    """Lets MADV_DONTNEED of this process and its children return 0, and do nothing."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in FILTER))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(FILTER), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    assert not libc.prctl(no_new_privileges, 1, 0, 0, 0)
    assert not libc.prctl(set_seccomp, mode_filter, program, 0, 0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls are of x86_64")
def test_memory_that_was_not_discarded_is_noticed(programs: Programs) -> None:
    words = (
        "--run",
        *small(catalog.workloads()["folio_dontneed"]),
        "--rounds",
        "2",
        "--clock",
        "monotonic",
        "--out",
        "-",
    )
    done = subprocess.run(
        (str(programs("folio_dontneed")), *words), capture_output=True, timeout=60, check=False,
        preexec_fn=without_dontneed,
    )  # fmt: skip
    assert "pages hold after MADV_DONTNEED what they held before" in protocol.parse(done.stdout).check
