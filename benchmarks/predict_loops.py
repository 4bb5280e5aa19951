# SPDX-License-Identifier: GPL-2.0-only
"""Published loops of atomic operations, and what the core model says of them.

python -m benchmarks.predict_loops trace DIR
    every loop in the guest, of both architectures
python -m benchmarks.predict_loops measure
    cycles of every loop on this host, as loops.toml has them; for a host of this architecture that is idle
python -m benchmarks.predict_loops table DIR [PAGE.md]
    predicted beside published; DIR as `trace` left it
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks._loops import Published, cycles_of, names, program, program_for_host, published
from benchmarks._pages import narrow
from benchmarks._pairs_trace import traced
from kassay.labs.predict.timing import timing_for

_GUESTS = {"x86_64": "zen4", "arm64": "neoverse_n1"}
_WITHIN = 0.1
_INTRODUCTION = """\
# Published loops of atomic operations

`python -m benchmarks.predict_loops trace DIR` runs the loops of benchmarks/loops/ in a guest and records them.
`python -m benchmarks.predict_loops table DIR docs/results/predict-loops.md` replays the record on each CPU and writes
this page. `python -m benchmarks.predict_loops measure` times the loops on an x86-64 host; a Cascade Lake was timed so.
All figures are cycles of an iteration, of one thread that nobody disturbs.

The loops are kassay's own. The fourteen counters do what "A Concurrency Cost Hierarchy" describes, in C. The others
are single instructions and chains, as InstLatx64 and uops.info measure them. The instructions around the atomics are
not quite those that were measured: a C library's mutex has some more or fewer. *before* is what the model said when
an atomic had one time for everything.

This is no test on unseen data. Three numbers of each core come from one row each: `lock_same` and `lock_interval` from
single instructions, `lock_reload` from `cas_add`. `lock_latency` and the order of atomics were chosen so that the other
rows fit.
"""
_WHY = """\
## What decides

These loops decide the parameters `lock_*` of a timing file
([calibrate.md](../reference/calibrate.md#timing-files)), for each core:

- **The way from an atomic's store to a later load is long** (`lock_reload`). In `cas_add` each iteration loads what
  the one before has swapped in. No core forwards that value: the load waits until it is in the cache. `cas_multi`
  takes the same time, although it needs a second load first.
- **An atomic begins when everything before it has retired** (`lock_at_head`), on Intel's cores and on Neoverse N1.
  Otherwise the mutexes and queues, with 20 to 40 instructions between two atomics, would take 20 to 40 % less.
- **Loads behind an atomic do not wait for it** (`lock_blocks_loads`), neither on Ice Lake nor on Skylake. Until
  2026-11-28 the model had them wait on Skylake, since the loops take 25 to 29 cycles there and one atomic 18. On a
  Cascade Lake, which has Skylake's core, the loops take the published times within 10 %, and 24 additions behind a load
  behind an atomic take no longer than 12 nops (`lock_then_load`, `lock_spaced`).
- **The next atomic on the same line waits longer** on Skylake. It begins after 18 cycles if it follows at once
  (`lock_same`), after 25 if more than six instructions or two stores lie between (`lock_again`: `lock_spaced`), and
  after 29 if a store to the same bytes followed soon (`lock_overwritten`: the spinlocks).
- **Atomics on several lines** (`lock_interval`) are published as 23 cycles on Skylake-SP. With two or more
  instructions between, as in kernels, they take 17 and what is retired between (`lock_apart`: `lock_lines_spaced`).
- **The line is fetched while the atomic waits** (`lock_fetches`) on Skylake: `lock_second_level` takes 3 cycles more
  than on lines of the first level, and would take 9. For other cores nobody measured it: they wait.
- **Stores before an atomic must have left the store buffer** (`lock_drains_stores`) on Skylake: each of the twelve of
  `lock_stores` takes a cycle. No published loop decides it for the other cores.

For Alder Lake P there are no loops, only single instructions. Its order is assumed to be that of Ice Lake.

## Where the model's answer changed

Is a counter by compare-and-swap (`cas_add`) faster than one under a lock? Cycles of both in brackets.

| CPU | lock | before | now | published |
| --- | --- | --- | --- | --- |
| skylake_sp | spinlock | {skl_before} | {skl_now} | {skl_published} |
| icelake_sp | ticket lock | {icl_before} | {icl_now} | {icl_published} |

The new answers are right because the publication measured both loops on that CPU. The reason is the first point above:
the next load cannot have the swapped value before it is in the cache. A lock's holder loads what a plain store wrote,
and that is forwarded.

## What is still wrong

- **`plain_add`, `thread_add`**: no atomics, but chains of a store and a load of it. On Ice Lake the chain takes 7.6
  cycles if the load follows at once, and 4.0 if a call lies between. The model has one time for it.
- **`lock_then_store`, `lock_second_level`** on Cascade Lake: 12 % too slow and 11 % too fast. A store to an atomic's
  bytes delays the next one by 1 to 4 cycles, by what lies between. A line of the second level costs 3 cycles, and the
  model hides it whole.
- **`ticket_yield` on Ice Lake**: 27.1 cycles, where `ticket_spin` with the same instructions takes 20.1. The
  publication does not say why. The model gives both the same time.
- **Neoverse N1**: the model gives a store with release and a load with acquire no time of their own. The spinlocks
  and ticket locks end with one and begin with the other. The publication does not say whether its program was
  compiled with LSE atomics; these loops are.
"""


def trace(directory: Path) -> None:
    for arch, cpu in _GUESTS.items():
        folder = directory / arch
        folder.mkdir(parents=True, exist_ok=True)
        loops = names(arch)
        runs = traced(loops, folder, lambda line: print(line, file=sys.stderr), path=program(arch), arch=arch, cpu=cpu)
        (run,) = runs
        (folder / "loops.trace").write_bytes(run.trace)


def measure() -> None:
    done = subprocess.run((str(program_for_host()), *names("x86_64")), check=True, capture_output=True, text=True)
    print("cycles = {", ", ".join(" = ".join(line.split()) for line in done.stdout.splitlines()), "}")


def predicted(directory: Path) -> dict[str, Mapping[str, float]]:
    """CPU -> cycles of every loop."""
    found: dict[str, Mapping[str, float]] = {}
    for cpu in dict.fromkeys(one.cpu for one in published()):
        timing = timing_for(cpu)
        found[cpu] = cycles_of((directory / timing.arch / "loops.trace").read_bytes(), names(timing.arch), timing)
    return found


def _page(found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield _INTRODUCTION
    yield from _score(found)
    for one in published():
        yield f"\n## {one.cpu}: {one.machine}\n\nMeasured by: {one.source}.\n"
        yield "| loop | measured | before | predicted | error |\n| --- | ---: | ---: | ---: | ---: |"
        for loop, cycles in {**one.measured, **one.most}.items():
            now, old = found[one.cpu][loop], one.before.get(loop)
            bound = loop in one.most
            error = "" if bound and now <= cycles else f"{now / cycles - 1:+.0%}"
            word = "at most " if bound else ""
            yield f"| {loop} | {word}{cycles:.1f} | {'' if old is None else f'{old:.1f}'} | {now:.1f} | {error} |"
    yield "\n" + _WHY.format(**_flips(found))


def _score(found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield "| CPU | loops | within 10 % before | within 10 % now |\n| --- | ---: | ---: | ---: |"
    for cpu in found:
        of = [one for one in published() if one.cpu == cpu]
        all_of = [(one, loop) for one in of for loop in one.measured]
        known = [_is_near(one.before[loop], one.measured[loop]) for one, loop in all_of if one.before]
        before = sum(known) if known else ""
        now = sum(_is_near(found[cpu][loop], one.measured[loop]) for one, loop in all_of)
        yield f"| {cpu} | {len(all_of)} | {before} | {now} |"


def _is_near(cycles: float, measured: float) -> bool:
    return abs(cycles / measured - 1) <= _WITHIN


def _flips(found: Mapping[str, Mapping[str, float]]) -> Mapping[str, str]:
    def words(one: Published, other: str) -> tuple[str, str, str]:
        by = (one.before, found[one.cpu], one.measured)
        before, now, said = (
            f"{'yes' if of['cas_add'] < of[other] else 'no'} ({of['cas_add']:.1f}, {of[other]:.1f})" for of in by
        )
        return before, now, said

    first = {one.cpu: one for one in reversed(published())}
    texts = {"skl": words(first["skylake_sp"], "pure_spin"), "icl": words(first["icelake_sp"], "ticket_spin")}
    return {f"{cpu}_{when}": text for cpu, of in texts.items()
            for when, text in zip(("before", "now", "published"), of, strict=True)}  # fmt: skip


def main() -> None:
    match sys.argv[1:]:
        case ["trace", directory]:
            trace(Path(directory))
        case ["measure"]:
            measure()
        case ["table", directory, *page]:
            text = narrow("\n".join(_page(predicted(Path(directory)))))
            _ = Path(page[0]).write_text(text) if page else print(text)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
