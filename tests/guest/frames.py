# SPDX-License-Identifier: GPL-2.0-only
"""Result streams made by hand, by the definition in guest/emit.h and not by the code under test."""

import zlib
from pathlib import Path

DATA = Path(__file__).parent.parent / "data" / "guest"
CLOCK = b"clock tsc\nticks_per_second unknown\noverhead 9\n"
RECORDS = (
    ("workload", "toy", b""),
    ("require", "-", b"before range.vmas == 1"),
    ("file", "before:/proc/swaps", b"Filename\tType\n"),
    ("absent", "after:/proc/with%20blank", b"ENOENT"),
    ("clock", "-", CLOCK),
    ("phase", "-", b"operations 0"),
    ("phase", "push", b"operations 10"),
    ("phase", "pull", b"operations 10"),
    ("phase", "iteration", b"operations 10"),
    ("rounds", "-", b"0 5 25 55\n60 61 81 111\n"),
    ("note", "-", b"a note"),
    ("check", "-", b"ok"),
)


def frame(kind: str, name: str, payload: bytes) -> bytes:
    """One frame with a right checksum."""
    head = f"{kind} {name} {len(payload)}".encode()
    crc = zlib.crc32(head + b"\n" + payload)
    return b"KASSAY " + head + f" {crc:08x}\n".encode() + payload + b"\n"


def section(name: str, *records: tuple[str, str, bytes]) -> bytes:
    """A whole section with a right count."""
    count = f"section={name} records={len(records)}".encode()
    return frame("begin", "-", count) + b"".join(frame(*r) for r in records) + frame("end", "-", count)


def stage(name: str) -> bytes:
    """A stage mark."""
    return frame("stage", name, b"123456")


def booted(*records: tuple[str, str, bytes]) -> bytes:
    """The stream of a whole boot."""
    boot = section("boot", ("file", "boot:kassay/quiescence", b"window 5\nstate quiet\n"))
    return b"".join(
        (stage("ready"), boot, stage("quiet"), stage("measuring"), section("workload", *records), stage("done"))
    )
