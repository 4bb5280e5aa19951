# SPDX-License-Identifier: GPL-2.0-only
"""Fuzzing targets in C: what they are made of, and how clang builds them with libFuzzer and the sanitizers.

The program's objects are joined and their variables put into sections with names of their own, so that the harness can
put back what they held (native/harness.c).
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.pcp.configs import config
from tests.predict.cpu import params
from tests.predict.tokens import Tokens, insn, load, store

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent / "native"
_SANITIZERS = "-fsanitize=fuzzer-no-link,address,undefined"
_FLAGS = ("-std=gnu11", "-O1", "-g", "-fno-sanitize-recover=undefined", _SANITIZERS)
_SECTIONS = ("--set-section-flags", ".bss=alloc,load,contents", "--rename-section", ".data=trial_data",
             "--rename-section", ".bss=trial_bss,alloc,load,contents,data")  # fmt: skip
_RUNNER = ("*.c", "arch/x86_64.c", "workloads/page_fault.c")
_OTHERS = ("init.c", "controls.c", "quiet.c", "snapshot.c", "setup.c", "program.c", "payload.c", "watch.c", "results.c",
           "application.c", "relay.c")  # fmt: skip
_ZONE = {"pages": 4096, "high_max": 400}
_CACHES = {"l1d_size": 4096, "l1i_size": 4096, "l2_size": 16384, "l3_size": 65536, "btb_entries": 64, "bimodal_bits": 6,
           "tagged_bits": 4, "indirect_bits": 4, "stlb_entries": 64}  # fmt: skip
"""Small ones: their memory is zeroed before each execution."""


class NativeTarget(NamedTuple):
    """One program in C with one of its inputs."""

    title: str
    harness: str
    part: str
    """The folder of the source tree."""
    sources: tuple[str, ...]
    """Files of the program, as patterns below `part`."""
    without: tuple[str, ...] = ()
    """Files that the harness includes, or that are not needed."""
    number: int = 0
    """INPUT of the harness: which of several inputs is fuzzed."""
    files: bool = True
    """False where the program must not reach this host's files."""
    longest: int = 1 << 14
    defines: tuple[str, ...] = ()
    """Macros, as NAME=VALUE."""


TARGETS: Mapping[str, NativeTarget] = {
    "core_params": NativeTarget("core model: parameters", "core.c", "core", ("*.c",), number=0),
    "core_program": NativeTarget("core model: instructions", "core.c", "core", ("*.c",), number=1),
    "core_trace": NativeTarget("core model: traces", "core.c", "core", ("*.c",), number=2,
                               defines=("LONGEST_STRING=65536ULL",)),
    "pcp_config": NativeTarget("simulator: configurations", "pcp.c", "pcp", ("*.c", "policies/*.c"), number=0),
    "pcp_events": NativeTarget("simulator: page events", "pcp.c", "pcp", ("*.c", "policies/*.c"), number=1),
    "guest_options": NativeTarget("guest: command lines", "guest_options.c", "guest", _RUNNER, _OTHERS, files=False),
    "guest_application": NativeTarget("guest: applications", "guest_application.c", "guest",
                                      ("application.c", "number.c"), files=False),
    "guest_init": NativeTarget("guest: configuration of init", "guest_init.c", "guest",
                               ("controls.c", "zram_device.c", "quiet.c", "snapshot.c", "tasks.c", "number.c", "emit.c",
                                "arch/x86_64.c"), files=False),
    "guest_payload": NativeTarget("guest: packed files", "guest_payload.c", "guest",
                                  ("payload.c", "emit.c"), files=False),
    "guest_texts": NativeTarget("guest: texts of the kernel", "guest_texts.c", "guest", _RUNNER,
                                (*_OTHERS, "samples.c", "tunable.c"), files=False),
}  # fmt: skip
NAMES = tuple(TARGETS)
TITLES: Mapping[str, str] = {name: target.title for name, target in TARGETS.items()}


def argv(name: str, place: Path, options: Sequence[str]) -> list[str]:
    """The command of one piece; builds the target first, and writes its seeds."""
    program = built(name, place.parent / "native")
    corpus = place / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(seed)
    limits = (f"-max_len={TARGETS[name].longest}", "-timeout=20", "-rss_limit_mb=3000", f"-artifact_prefix={place}/")
    env = (f"TRIALS_EXECUTIONS={place}/executions", f"TRIALS_FIXED={program.parent}")
    return ["env", *env, str(program), *limits, *options, str(corpus)]


def built(name: str, directory: Path) -> Path:
    """The target's program, built when its sources changed."""
    target = TARGETS[name]
    sources = [p for pattern in target.sources for p in sorted((ROOT / target.part).glob(pattern))
               if p.name not in target.without]  # fmt: skip
    key = _key([*sorted((ROOT / target.part).rglob("*.[chd]*")), *sorted(HERE.iterdir()), Path(__file__)])
    place = directory / f"{name}-{key}"
    program = place / name
    if program.is_file():
        return program
    place.mkdir(parents=True, exist_ok=True)
    for fixed, content in _fixed().items():
        (place / fixed).write_bytes(content)
    flags = (*_FLAGS, f"-I{ROOT / target.part}", f"-I{HERE}", f"-DINPUT={target.number}",
             *(f"-D{macro}" for macro in target.defines), *_policies(target))  # fmt: skip
    replaced = (*flags, "-include", str(HERE / "replaced.h"), *(() if target.files else ("-DTRIALS_NO_FILES",)))
    objects = [_object(source, place, replaced) for source in sources]
    joined = place / "product.o"
    _run("ld", "-r", "-o", str(joined), *map(str, objects))
    _run("objcopy", *_SECTIONS, str(joined))
    harness = _object(HERE / "harness.c", place, flags)
    own = _object(HERE / target.harness, place, replaced)
    partial = place / f"{name}.partial"
    _run("clang", "-fsanitize=fuzzer,address,undefined", "-o", str(partial), str(harness), str(own), str(joined),
         "-pthread")  # fmt: skip
    partial.rename(program)
    return program


def _object(source: Path, place: Path, flags: Sequence[str]) -> Path:
    out = place / f"{source.parent.name}-{source.stem}.o"
    _run("clang", *flags, "-c", "-o", str(out), str(source))
    return out


def _policies(target: NativeTarget) -> tuple[str, ...]:
    if target.part != "pcp":
        return ()
    policies = sorted(path.stem for path in (ROOT / "pcp" / "policies").glob("*.c"))
    return ("-DPOLICIES=" + " ".join(f"ENTRY({name})" for name in policies),)


def _key(paths: Iterable[Path]) -> str:
    contents = b"".join(path.read_bytes() for path in paths if path.is_file())
    return hashlib.sha256(contents).hexdigest()[:16]


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr[:2000]}")


def _tokens() -> Tokens:
    tokens = Tokens()
    first = tokens.define([load(1, 2), insn(data="2", writes="3"), store(4, 3)])
    second = tokens.define([insn("branch"), insn(writes="1")], function=1)
    tokens.map(0x10, 0x20)
    for turn in range(3):
        tokens.turn(turn)
        tokens.run(first, (0, 0x10000 + 64 * turn, False), (2, 0x10100, True))
        tokens.run(second)
    return tokens


def _fixed() -> Mapping[str, bytes]:
    tokens = _tokens()
    return {
        "params": params(**_CACHES).encode(), "program": tokens.program().encode(), "trace": _trace(tokens),
        "config": config(zone=_ZONE, events=0, vmstat_ns=0).text().encode(),
    }  # fmt: skip


def _trace(tokens: Tokens) -> bytes:
    scratch = Path(os.environ.get("TMPDIR", "/tmp")) / f"trials-{os.getpid()}.trace"
    try:
        return tokens.write(scratch).read_bytes()
    finally:
        scratch.unlink(missing_ok=True)


def seeds(name: str) -> Sequence[bytes]:
    """Valid inputs."""
    fixed = _fixed()
    return {
        "core_params": [fixed["params"], params(**_CACHES, l3_victim=1, prefetch_streams=4).encode()],
        "core_program": [fixed["program"]],
        "core_trace": [fixed["trace"]],
        "pcp_config": [fixed["config"], config("fixed", events=500, zone=_ZONE).text().encode()],
        "pcp_events": [_events()],
        "guest_options": [b"size=8MiB\nkind=anonymous\n--rounds\n4\n--clock\ntsc\n--capture\n/proc/x\n--\nword"],
        "guest_application": [b"user=1000\0limit_ms=5\0directory=/\0command=run\0arg=/bin/a\0arg=b\0env=A=b\0"],
        "guest_init": [b"arg=/page_fault\narg=size=8MiB\nmodule=zram.ko\nquiesce=1\nswap_bytes=4096\nstream=/dev/a\n"],
        "guest_payload": [_payload()],
        "guest_texts": [b"always [madvise] never\n", b"Node 0, zone Normal\n  pages free 12\n    cpu: 0\n", b"12"],
    }[name]  # fmt: skip


def _events() -> bytes:
    header = b"kassay-pages/1\nevents 4\n\n"
    records = ((1000, 0x00, 1, 0, 64), (2000, 0x13, 0, 1, 128), (3000, 0x10, 1, 0, 64), (4000, 0x40, 0, 1, 0))
    return header + b"".join(
        time.to_bytes(8, "little") + bytes([what, kind]) + cpu.to_bytes(2, "little") + pfn.to_bytes(4, "little")
        for time, what, kind, cpu, pfn in records
    )


def _payload() -> bytes:
    files = b"755 7 program\n#!/bin\n" + b"644 3 files/a/b\nabc"
    return b"ELF" + files + (3).to_bytes(8, "little") + (2).to_bytes(8, "little") + b"KASSAYF1"
