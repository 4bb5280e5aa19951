# SPDX-License-Identifier: GPL-2.0-only
"""The plugin's profile."""

from collections.abc import Iterator
from pathlib import Path

from tests.profile.files import KERNEL, NOP, RET, File

from benchmarks.trials.target import REFUSALS, Target
from benchmarks.trials.targets._inputs import artifacts_of
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.raw import parse

_LONGEST = 1 << 15


def _seeds(made: Path | None) -> Iterator[bytes]:
    file = File(mode="stacks", rounds=1)
    block = file.block(KERNEL, NOP, NOP, RET)
    file.jump(block, block)
    file.node(file.node(None, 0), KERNEL)
    yield file.bytes()
    for data in artifacts_of(made, "profile_sha256"):
        if len(data) <= _LONGEST:
            yield data


def _run(data: bytes) -> None:
    if data[:1] == b"\xff":
        parse(data[1:])
        return
    body = data[: data.rfind(b"end ")] if b"end " in data else data
    raw = parse(body + b"end %d\n" % body.count(b"\n"))
    for number in range(min(raw.rounds, 8) + 1):
        raw.counts(number)
    raw.sums(range(min(raw.rounds, 8)), range(raw.intervals))


TARGET = Target("profiles of the plugin", _seeds, _run, (*REFUSALS, ProfileError), _LONGEST)
