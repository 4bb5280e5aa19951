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
this page. `python -m benchmarks.predict_loops measure` times the loops on an x86-64 host; a Cascade Lake, a Zen 3 and
an Emerald Rapids were timed so. All figures are cycles of an iteration, of one thread without contention. T. Downs
published ns; they are converted at 2.6 GHz (Skylake), 3.3 (Ice Lake) and 2.5 (Graviton 2). Others use the cores of
these hosts as well. The figures of Emerald Rapids are what a tenth of the samples do not exceed, those of the other two
are medians.

kassay wrote the loops. The fourteen counters do what "A Concurrency Cost Hierarchy" describes, in C. Seven loops are
single instructions and chains, as InstLatx64 and uops.info measure them. Six more, `lock_spaced` to
`lock_second_level`, are published nowhere. The code around the atomics differs from the published programs by a few
instructions. *before* is what the model said when an atomic had one time for everything; it had no Cascade Lake then.

This is no test on unseen data. `lock_same` and `lock_interval` come from single instructions, on Neoverse N1 from
`atomic_add`. On Skylake, Ice Lake and N1 `lock_reload` comes from `cas_add`, and `lock_latency` was fitted to the
counters. Skylake's other `lock_*` come mostly from the rows of Cascade Lake. For Zen most are estimates.
"""
_WHY = """\
## What decides

These loops decide the following `lock_*` parameters ([calibrate.md](../reference/calibrate.md#timing-files)). A core's
timing file calls the others *assumed*:

- **The way from an atomic's store to a later load is long** (`lock_reload`). In `cas_add` each iteration loads what
  the one before has swapped in. No core that was measured forwards that value: the load waits until it is in the cache.
  `cas_multi` takes the same time, although it needs a second load first.
- **An atomic begins when everything before it has retired** (`lock_at_head`) on Skylake, Ice Lake and Neoverse N1.
  Otherwise their mutexes and queues would take 20 to 50 % less.
- **Loads behind an atomic do not wait for it** (`lock_blocks_loads`) on Ice Lake and Skylake; on Neoverse N1 they do.
  Until 2026-11-28 the model had them wait on Skylake, because its locks take 25 to 29 cycles and one atomic 18. A
  Cascade Lake, which has Skylake's core, showed otherwise: a load and 24 additions that need it take no longer behind
  an atomic than 12 nops (`lock_then_load`, `lock_spaced`). Of 17 loops, 15 take the published times there within 10 %.
- **The next atomic on the same line** begins after 18 cycles on Skylake if it follows at once (`lock_same`), after 25
  with twelve nops between (`lock_again`: `lock_spaced`), and after 29 behind a spinlock's release, a store to the same
  bytes (`lock_overwritten`). The model's limits (six instructions or one store; ten instructions to the release) come
  from loops of other lengths, which were not kept.
- **Atomics on several lines** (`lock_interval`) take 23 cycles each on Skylake-SP, as published. With twelve nops
  between they take 19.4: the model adds 17 (`lock_apart`) and the nops' retirement (`lock_lines_spaced`).
- **The line is fetched while the atomic waits** (`lock_fetches`) on Skylake: `lock_second_level` takes 3 cycles more
  than `lock_add`, not the 9 between the two levels. On Emerald Rapids it takes no longer than `lock_add`. Ice Lake is
  assumed to do the same, and other cores to wait.
- **Stores before an atomic must have left the store buffer** (`lock_drains_stores`) on Skylake: each of the twelve of
  `lock_stores` takes a cycle. No published loop decides it for the other cores.

For Alder Lake P there are no loops, only single instructions. Its order is assumed to be that of Ice Lake, and Emerald
Rapids, which has the same core, is predicted with it.

## Where the model's answer changed

Is a counter by compare-and-swap (`cas_add`) faster than one under a lock? Cycles of both in brackets.

| CPU | lock | before | now | published |
| --- | --- | --- | --- | --- |
| skylake_sp | spinlock | {skl_before} | {skl_now} | {skl_published} |
| icelake_sp | ticket lock | {icl_before} | {icl_now} | {icl_published} |

The publication measured both loops on each CPU, and the parameters were chosen on them: the new answers are a fit, not
a test. The reason is the first point above. A lock's holder loads what a plain store wrote, and that is forwarded. On
Neoverse N1 the answer is still wrong for the spinlock: no (21.2, 20.2), where yes (21.0, 34.8) was published.

## What is still wrong

- **`plain_add`, `thread_add`**: no atomics, but chains of a store and a load of it. On Ice Lake the chain takes 7.6
  cycles if the load follows at once, and 4.0 if a call lies between. The model has one time for it.
- **`lock_then_store`, `lock_second_level`** on Cascade Lake: 12 % too slow and 11 % too fast. After a store to an
  atomic's bytes the next atomic begins after 26 to 29 cycles, and the model always takes 29. It hides the latency of a
  line of the second level completely; 2 to 3 cycles of it are measured.
- **Emerald Rapids**: `thread_add` takes 2 to 4.5 cycles, from run to run, and 3.9 are predicted. `plain_add` and
  `cmpxchg_load` are 17 and 11 % too fast, `pure_spin` is 11 % too slow.
- **`ticket_yield` on Ice Lake**: 27.1 cycles, where `ticket_spin` with the same instructions takes 20.1. The
  publication does not say why. The model gives both the same time.
- **Neoverse N1**: the spinlocks and ticket locks are 32 to 42 % too fast. All of them end with a store with release,
  which costs nothing extra in the model; whether that is the cause was not tested. `mutex3` is 18 % too fast, and
  nothing explains it. The publication does not say whether it was compiled with LSE atomics; these loops are.
- **Locks on Zen 3**: it predicts what a load soon after a store will get, and two loops have two speeds by whether that
  works: `mutex_add` takes 19 or 30 cycles, `ticket_blocking` 25 or 45. `queued_fifo` takes 38 or 68. The model is near
  the faster ones. The spinlocks are 19 to 29 % too fast, and nothing explains it.
- **`lock_second_level` on Zen 3**: atomics on missing lines take 27 cycles each, one after the other. In the model
  they overlap, as atomics on lines that hit do there (`xchg2_chain40` of [predict-pairs.md](predict-pairs.md)).
- **`lock_stores`, `lock_then_load` on Zen 3**: 35 and 26 % too fast. Neither "waits for stores" nor "begins at the
  head" makes all loops right: with both, `ticket_spin` is 25 % too slow. `cas_add`, `cmpxchg_address` and
  `cmpxchg_load` are 12 to 16 % off, two in one direction and one in the other.
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
