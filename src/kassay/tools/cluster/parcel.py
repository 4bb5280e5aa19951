# SPDX-License-Identifier: GPL-2.0-only
"""A run as it is sent to a host: its job without paths, and the files of these paths, by content."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from kassay.effects.files import sha256_bytes, sha256_file
from kassay.model.records import Record, from_msgpack
from kassay.supply.machines import Ended, Job

_DIRECTORY, _FURTHER = "directory/", "further/"
"""In front of the names of files that lie in the job's own directory, and of its further archives."""

_SMALL_BYTES = 64 << 10


class Parcel(Record, frozen=True, kw_only=True):
    """One job as it travels to another host."""

    clock: str
    """Clock of the experiment."""
    machine: str
    """Machine of the experiment."""
    arch: str
    job: Job
    """Job with words in place of its paths."""
    files: dict[str, str]
    """Hash (sha256) of each file, by "kernel", "initramfs", "program", "further/NUMBER" and "directory/NAME"."""
    small: dict[str, bytes]
    """Content of the files in the job's own directory that are so small that they travel inside."""


class Delivery(Record, frozen=True, kw_only=True):
    """The result of a parcel."""

    parcel: str
    """Hash of the parcel."""
    ended: Ended | None = None
    """Result of the run; None if no run was made. Then `missing` or `busy` says why."""
    missing: tuple[str, ...] = ()
    """Files that are missing on the host."""
    busy: str = ""
    """Reason why the host is busy; "" if it is not."""


class Packed(NamedTuple):
    """A parcel and the files that belong to it, by hash."""

    parcel: Parcel
    sources: Mapping[str, Path]


def packed(clock: str, machine: str, arch: str, job: Job) -> Packed:
    """Takes the paths out of a job."""
    paths = dict(_paths(job))
    small = {
        f"{_DIRECTORY}{path.name}": path.read_bytes()
        for path in Path(job.directory).iterdir()
        if path not in paths.values() and path.stat().st_size <= _SMALL_BYTES
    }
    paths |= {
        name: path
        for path in Path(job.directory).iterdir()
        if path not in paths.values() and (name := f"{_DIRECTORY}{path.name}") not in small
    }
    files = {name: _hash(path, path.stat().st_mtime_ns, path.stat().st_size) for name, path in sorted(paths.items())}
    plain = structs.replace(
        job, directory="", program=("program", *job.program[1:]), kernel=job.kernel and "kernel",
        initramfs=job.initramfs and "initramfs", further=tuple(f"{_FURTHER}{n}" for n in range(len(job.further))),
    )  # fmt: skip
    parcel = Parcel(clock=clock, machine=machine, arch=arch, job=plain, files=files, small=small)
    return Packed(parcel, {files[name]: path for name, path in paths.items()})


def _paths(job: Job) -> Iterator[tuple[str, Path]]:
    yield "program", Path(job.program[0])
    for name, path in (("kernel", job.kernel), ("initramfs", job.initramfs)):
        if path:
            yield name, Path(path)
    for number, path in enumerate(job.further):
        yield f"{_FURTHER}{number}", Path(path)


def unpacked(parcel: Parcel, directory: Path, path_of: Mapping[str, Path]) -> Job:
    """The job again, with paths of this host. directory: an empty one for the run. path_of: of each file, by hash.

    Raises ValueError for a parcel that lacks a file of its job, or names one outside of the directory.
    """
    wanted = {name for name, path in (("kernel", parcel.job.kernel), ("initramfs", parcel.job.initramfs)) if path}
    wanted |= {"program", *parcel.job.further}
    if absent := wanted - parcel.files.keys():
        raise ValueError(f"the parcel has no {min(absent)}")
    names = [Path(name).name for name in (*parcel.small, *parcel.files) if name.startswith(_DIRECTORY)]
    if len(set(names)) < len(names) or any(name in ("", "..") or "\0" in name for name in names):
        raise ValueError("the parcel names two files alike, or none")
    paths = {name: str(path_of[sha256]) for name, sha256 in parcel.files.items()}
    for name, path in paths.items():
        if name.startswith(_DIRECTORY):
            Path(directory, Path(name).name).symlink_to(path)
    for name, data in parcel.small.items():
        Path(directory, Path(name).name).write_bytes(data)
    job = parcel.job
    if job.further and job.initramfs:  # a machine adds these to the initramfs
        initramfs = Path(directory, "initramfs")
        initramfs.write_bytes(Path(paths["initramfs"]).read_bytes())
        paths["initramfs"] = str(initramfs)
    return structs.replace(
        job, directory=str(directory), program=(paths["program"], *job.program[1:]),
        kernel=job.kernel and paths["kernel"], initramfs=job.initramfs and paths["initramfs"],
        further=tuple(paths[name] for name in job.further),
    )  # fmt: skip


def to_bytes(record: Record) -> bytes:
    """MessagePack, in which the streams of a run stay bytes."""
    return msgspec.msgpack.encode(record)


def parcel_from(data: bytes) -> Parcel:
    """Raises msgspec.MsgspecError for anything else."""
    return from_msgpack(data, Parcel)


def delivery_from(data: bytes, parcel: bytes) -> Delivery:
    """The delivery of a host for a parcel. Raises ValueError if it is none, or belongs to another parcel."""
    try:
        delivery = from_msgpack(data, Delivery)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a run's result: {error}") from error
    if delivery.parcel != sha256_bytes(parcel):
        raise ValueError("the result of another run")
    return delivery


@lru_cache(maxsize=4096)
def _hash(path: Path, _changed_ns: int, _size: int) -> str:
    """sha256 of a file, computed once while time and size stay the same: many runs have the same kernel."""
    return sha256_file(path)
