# SPDX-License-Identifier: GPL-2.0-only
"""How long a large public site takes, and how large it is: python -m benchmarks.site [DIR]."""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kassay.labs.site.model import (
    FunctionCost,
    Mistake,
    Site,
    SiteCell,
    SiteFunction,
    SiteKernel,
    SitePrediction,
    SiteSeries,
    SiteStatus,
    SiteStep,
    SiteWorkload,
)  # fmt: skip
from kassay.labs.site.pages.build import write_site
from kassay.model.workload import GROUPS

_CHANGED, _SMALL, _REFUSED, _ABSENT = 0.03, 0.25, 0.01, 0.04
"""Parts of the cells."""
_ROWS_OF_A_FUNCTION = 5
_LIVES = ("found", "confirmed", "narrowed", "reported", "fixed", "accepted", "")


def synthetic(
    kernels: int, workloads: int, archs: tuple[str, ...], functions: int, *, seed: int = 1, made: str = "2026-11-26"
) -> Site:
    """A site of invented figures; the same for the same arguments."""
    draw = random.Random(seed)
    columns = {arch: tuple(_kernels(arch, kernels)) for arch in archs}
    names = [f"{draw.choice(_VERBS)}_{draw.choice(_NOUNS)}_{number}" for number in range(workloads)]
    series = [_series(arch, name, GROUPS[number % len(GROUPS)]) for arch in archs for number, name in enumerate(names)]
    called = [
        f"{draw.choice(_VERBS)}_{draw.choice(_NOUNS)}_{n}{'.isra.0' if n % 9 == 0 else ''}" for n in range(functions)
    ]
    cells, steps = [], []
    for row in series:
        for cell, step in _line(draw, row, columns[row.arch], called, made):
            cells.append(cell)
            steps += [step] if step else []
    return Site(
        title="Costs of Linux memory management", address="https://example.org/kassay/", made_utc=f"{made}T06:00:00Z",
        kassay_version="0.1.0", kernels=tuple(kernel for one in columns.values() for kernel in one),
        workloads=tuple(
            SiteWorkload(name=name, group=GROUPS[number % len(GROUPS)], summary=f"Calls the path {name} in a loop.",
                         state="64 MiB, shared, present", parameters=(("size", "Bytes of the mapping."),))
            for number, name in enumerate(names)
        ),
        series=tuple(series), cells=tuple(cells), steps=tuple(steps),
        functions=tuple(_function(draw, name, series, columns) for name in called),
        status=SiteStatus(
            last_kernel=tuple((arch, columns[arch][-1].key, made) for arch in archs), queue=("arm64: 7.1.1",),
            failed=(("6.99.1", "does not boot: no console"),),
            mistakes=(Mistake(date=made, page="about/", wrong="one page", right="1000 pages"),),
        ),
    )  # fmt: skip


_VERBS = ("fork", "map", "unmap", "protect", "reclaim", "split", "collapse", "zap", "read", "sync", "lock", "scan")
_NOUNS = ("folio", "page", "range", "vma", "pte", "slab", "swap", "file", "shmem", "anon", "node", "memcg")


def _kernels(arch: str, number: int) -> Iterator[SiteKernel]:
    for place in range(number):
        key = f"{6 + place // 40}.{place % 40 // 4}.{place % 4 * 3 + 1}"
        yield SiteKernel(
            key=key, name=key, ref=f"debian:{key}-1", arch=arch, release=f"{key}-cloud-{arch}",
            compiler=f"gcc {12 + place // 40}.2.0", config_sha256=f"{place // 5:064x}", image_sha256=f"{place:064x}",
            measured_utc=f"2026-11-{1 + place % 28:02d}T00:00:00Z",
        )  # fmt: skip


def _series(arch: str, name: str, group: str) -> SiteSeries:
    return SiteSeries(
        key=name, arch=arch, workload=name, settings="", metric="iteration", unit="instructions/page", better="lower",
        definition="From before to after one pass over the range, divided by its base pages.", primary=True,
        group=group, machine="icount, 1 CPU, 1 GiB, QEMU 7.2.22", command=f"{name} --boot snapshot",
    )  # fmt: skip


def _line(
    draw: random.Random, row: SiteSeries, columns: tuple[SiteKernel, ...], called: list[str], made: str
) -> Iterator[tuple[SiteCell, SiteStep | None]]:
    value, before = draw.uniform(20, 5000), None
    for kernel in columns:
        luck = draw.random()
        if luck < _ABSENT:
            state = "failed" if draw.random() < 0.5 else "absent"
            yield (
                SiteCell(series=row.key, arch=row.arch, kernel=kernel.key, state=state, reason="it ran out of memory"),
                None,
            )
            continue
        kind = "refused" if luck < _ABSENT + _REFUSED else "changed" if luck > 1 - _CHANGED else ""
        old = value
        if kind == "changed":
            value *= 1 + draw.choice((-1, 1)) * draw.uniform(0.011, 0.9)
        elif draw.random() < _SMALL:
            value *= 1 + draw.uniform(-0.005, 0.005)
        state = "refused" if kind == "refused" else "measured"
        cell = SiteCell(series=row.key, arch=row.arch, kernel=kernel.key, state=state, value=value, n=2, floor=0.001)
        yield cell, _step(draw, row, before, kernel, old, value, kind, called, made) if before else None
        before = kernel


def _step(
    draw: random.Random, row: SiteSeries, before: SiteKernel, after: SiteKernel, old: float, new: float, kind: str,
    called: list[str], made: str,
) -> SiteStep:  # fmt: skip
    changed = kind == "changed"
    life = draw.choice(_LIVES) if changed else ""
    verdict = "state-mismatch" if kind == "refused" else "equivalent"
    part = (new - old) / 8
    return SiteStep(
        series=row.key, arch=row.arch, before=before.key, after=after.key,
        change=None if kind == "refused" else new / old - 1, before_value=old, after_value=new, n_before=2, n_after=2,
        verdict=verdict if not changed else "regression" if new > old else "improvement", evidence="exact", floor=0.001,
        reasons=("Other state: 512 pages were huge, then none.",) if kind == "refused" else (),
        confounders=() if before.compiler == after.compiler else (f"compiler: {before.compiler}, {after.compiler}",),
        sentence=f"{part * 8:+.4g} instructions/page: {called[0]} and 7 callees" if changed else "",
        functions=tuple(
            FunctionCost(function=draw.choice(called), base=10.0, head=10.0 + part, file="mm/mprotect.c")
            for _ in range(8)
        ) if changed else (),
        unattributed=0.25 if changed else None, state="64 MiB, shared, present, 16384 base pages",
        predictions=(SitePrediction(cpu="skylake_sp", change=new / old - 1, low=-0.02, high=0.9),) if changed else (),
        accesses=(old * 0.25, new * 0.3) if changed else None,
        measured_utc=f"{made}T00:00:00Z", kassay_version="0.1.0",
        repeat=(f"kassay compare {row.command} {before.ref} {after.ref}",), life=life,
        life_text="measured again by a fresh pair" if life else "", link="https://example.org/report/1" if life else "",
        mail="Subject: [PERF] mm: it costs more\n\nHello,\n\nit costs more.\n" if life else "",
        recipients=("Andrew Morton <akpm@linux-foundation.org>", "linux-mm@kvack.org") if changed else (),
    )  # fmt: skip


def _function(
    draw: random.Random, name: str, series: list[SiteSeries], columns: dict[str, tuple[SiteKernel, ...]]
) -> SiteFunction:
    costs = []
    for row in draw.sample(series, min(len(series), _ROWS_OF_A_FUNCTION * len(columns))):
        own, calls = draw.lognormvariate(0, 2), 1.0
        for kernel in columns[row.arch]:
            own *= 1 + (draw.random() < _CHANGED) * draw.uniform(-0.3, 0.3)
            costs.append((row.arch, row.key, kernel.key, own, calls))
    sizes = tuple((arch, kernel.key, 64) for arch, all_ in columns.items() for kernel in all_)
    return SiteFunction(
        name=name, file="mm/memory.c", maintainers=("Andrew Morton <akpm@linux-foundation.org>",),
        callers=("do_syscall_64",), costs=tuple(costs), sizes=sizes,
    )  # fmt: skip


def main() -> None:
    """Prints seconds and megabytes of a site of 100 kernels, 50 workloads, 2 architectures and 1500 functions."""
    site = synthetic(100, 50, ("x86_64", "arm64"), 1500)
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary) / "site"
        for what in ("from nothing", "again, unchanged"):
            begin, cpu = time.perf_counter(), time.process_time()
            done = write_site(site, directory)
            print(
                f"{what}: {time.perf_counter() - begin:.1f} s ({time.process_time() - cpu:.1f} s of CPU), "
                f"{done.files} files, {done.size / 1e6:.1f} MB, {done.changed} changed"
            )
        pages = sorted((path.stat().st_size, str(path.relative_to(directory))) for path in directory.rglob("*.html"))
        print("home page:", (directory / "index.html").stat().st_size, "largest pages:", pages[-3:])
    print("peak memory:", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, "MiB")


if __name__ == "__main__":
    main()
