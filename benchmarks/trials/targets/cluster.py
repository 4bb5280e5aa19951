# SPDX-License-Identifier: GPL-2.0-only
"""Messages of a cluster: the parcel that a worker is sent, and what it delivers."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace
from tests.machines.test_argv import job

from benchmarks.trials.target import REFUSALS, Target
from benchmarks.trials.targets._inputs import scratch
from kassay.tools.cluster.parcel import Delivery, delivery_from, packed, parcel_from, to_bytes, unpacked

_PARCEL = hashlib.sha256(b"parcel").hexdigest()


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield packed_seed()
    yield to_bytes(Delivery(parcel=_PARCEL, ended=None))


def packed_seed() -> bytes:
    """A parcel whose files are small."""
    directory = scratch() / "job"
    directory.mkdir(exist_ok=True)
    for name in ("program", "kernel", "initramfs"):
        (directory / name).write_bytes(name.encode())
    sent = replace(
        job(directory=str(directory)), program=(str(directory / "program"), "--out", "x"),
        kernel=str(directory / "kernel"), initramfs=str(directory / "initramfs"),
    )  # fmt: skip
    return to_bytes(packed("icount", "qemu-icount", "x86_64", sent).parcel)


def _run(data: bytes) -> None:
    directory = scratch() / "unpacked-job"
    directory.mkdir(exist_ok=True)
    try:
        parcel = parcel_from(data)
    except msgspec.MsgspecError:
        delivery_from(data, b"parcel")
        return
    unpacked(parcel, directory, dict.fromkeys(parcel.files.values(), directory / "file"))


TARGET = Target("messages of a cluster", _seeds, _run, (*REFUSALS, ValueError, msgspec.MsgspecError), 1 << 13)
