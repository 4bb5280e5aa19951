# SPDX-License-Identifier: GPL-2.0-only
"""Initramfs of the measured machine: init, one workload, its configuration, kernel modules."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from kassay.errors import Defect
from kassay.supply.guest import cpio

CONF_BYTES = 4096
STREAM = "/dev/ttyS1"
ROOT = "rootfstype=ramfs"
"""A kernel parameter of machines with an image: their root has no limit of half of the memory, and files of it are read
and mapped by the functions that file systems of disks use."""
_TIMED_LIMIT_NS = 2_000_000  # of a window of 200 ms: 1 %, the share that other tasks may have of the measured region
_TIMED_WAIT_MS = 20_000
_NOTHING: Mapping[str, bytes] = MappingProxyType({})


def job(arguments: Sequence[str], boot_delay_us: int, stream: str = STREAM, *, background: int = 0,
        state: Sequence[str] = ()) -> bytes:  # fmt: skip
    """Configuration of one run. It always has CONF_BYTES, so that a setting moves nothing in the guest's memory.

    arguments: of the workload's program, without --out, which comes before "--" and what is behind it.
    background: tasks that spin at the same time. state: lines with the settings of the machine.
    """
    last = arguments.index("--") if "--" in arguments else len(arguments)
    command = ("/workload", *arguments[:last], "--out", stream, *arguments[last:])
    spinning = (f"background={background}",) if background else ()
    return _padded((f"boot_delay_us={boot_delay_us}", *spinning, *state, *(f"arg={word}" for word in command)))


def machine(
    modules: Sequence[str],
    *,
    snapshot: bool,
    quiesce: bool = True,
    timed: bool = False,
    stream: str = STREAM,
    setup: bool = False,
) -> bytes:
    """Configuration of the machine before any run.

    modules: names, in loading order. snapshot: stop when quiet. quiesce: wait until it is. timed: whether
    time is measured. Then a busy host makes the short work of the guest's own threads longer: the guest is
    then quiet as soon as the gate would accept it. setup: executes /setup before the machine comes to rest.
    """
    lines = [f"stream={stream}", *(f"module={_module_path(index, name)}" for index, name in enumerate(modules))]
    lines += ["snapshot=1"] if snapshot else []
    lines += ["setup=/setup"] if setup else []
    lines += [] if quiesce else ["quiesce=0"]
    if timed:
        lines += [f"quiet_limit_ns={_TIMED_LIMIT_NS}", f"quiet_timeout_ms={_TIMED_WAIT_MS}"]
    return _padded(lines)


def _padded(lines: Sequence[str]) -> bytes:
    if any("\n" in line for line in lines):
        raise Defect(f"an argument of the workload holds a newline: {lines}")
    text = ("\n".join(lines) + "\n").encode()
    if len(text) > CONF_BYTES:
        raise Defect(f"the guest's configuration takes {len(text)} bytes, more than {CONF_BYTES}")
    return text.ljust(CONF_BYTES, b"\n")


def build(*, init: Path, workload: Path | None, job: bytes | None, modules: Sequence[tuple[str, bytes]] = (),
          padding_bytes: int = 0, quiesce: bool = True, timed: bool = False, stream: str = STREAM,
          further: Mapping[str, bytes] = _NOTHING, setup: bool = False) -> bytes:  # fmt: skip
    """The uncompressed archive for one run; the same arguments give the same bytes.

    workload, job: the program and job(); None for a machine that is saved when quiet and gets both after a restore, so
    that one snapshot serves every workload.
    modules: (name, content of the .ko), dependencies first. padding_bytes: an unused
    file of that size, a perturbation. quiesce: whether init waits until nothing else runs. timed: as in machine().
    further: files of the root directory by name, executable. setup: as in machine(); the program is in another archive
    behind this one.
    """
    names = [name for name, _ in modules]
    conf = machine(names, snapshot=job is None, quiesce=quiesce, timed=timed, stream=stream, setup=setup) + (job or b"")
    return cpio.archive(
        (
            *(cpio.directory(name) for name in ("dev", "proc", "sys", "tmp", "modules")),
            cpio.character_device("dev/console", 5, 1),
            cpio.character_device("dev/null", 1, 3),
            cpio.character_device("dev/ttyS1", 4, 65),
            cpio.file("init", init.read_bytes(), executable=True),
            *(() if workload is None else (cpio.file("workload", workload.read_bytes(), executable=True),)),
            cpio.file("kassay.conf", conf),
            *(cpio.file(_module_path(i, name).lstrip("/"), data) for i, (name, data) in enumerate(modules)),
            cpio.file("padding", bytes(padding_bytes)),
            *(cpio.file(name, data, executable=True) for name, data in further.items()),
        )
    )


def _module_path(index: int, name: str) -> str:
    return f"/modules/{index:02d}-{name}.ko"
