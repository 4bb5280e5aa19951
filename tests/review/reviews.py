# SPDX-License-Identifier: GPL-2.0-only
"""Reviews and gates made by hand."""

from msgspec import structs

from kassay.labs.review.changed_code import ChangedFunction
from kassay.labs.review.gate import _judged
from kassay.labs.review.gate_model import Gate, Limit
from kassay.labs.review.model import Cell, KernelSide, Review, Try
from kassay.model.patch import SeriesPatch
from kassay.model.records import Setting

SIDE = KernelSide(ref="build:x", release="7.3.4", compiler="gcc 12.2.0", config="lab", image_sha256="0" * 64)


def cell(verdict: str, change: float | None, *, order: str = "0", phase: str = "iteration", n: int = 2) -> Cell:
    """A setting of folio_fork that costs 100 instructions on base."""
    return Cell(
        workload="folio_fork", settings=(Setting(name="order", value=order), Setting(name="size", value="4MiB")),
        phase=phase, primary=phase == "iteration", subject="Forking", unit="instructions/page",
        base=None if change is None else 100.0, head=None if change is None else 100.0 * (1 + change), change=change,
        verdict=verdict, evidence="exact", n_base=n, n_head=n,
    )  # fmt: skip


def function(name: str, state: str, executed: tuple[int, ...] = (), never: tuple[int, ...] = ()) -> ChangedFunction:
    return ChangedFunction(
        path="mm/x.c", function=name, state=state, executed=executed, not_executed=never, patches=(1,), cells=3
    )


def review(*cells: Cell, functions: tuple[ChangedFunction, ...] = (), same_image: bool = False) -> Review:
    patch = SeriesPatch(number=1, subject="mm: do it", author="A", sha256="0" * 64, files=("mm/x.c",), hunks=1,
                        changes=(1, 1))  # fmt: skip
    return Review(
        kassay_version="0.1.0", command="kassay review s.mbx", source="s.mbx", patches=(patch,),
        tries=(Try(how="given", what="v7.0", outcome="applies"),), base=SIDE, head=SIDE,
        machine="x86_64, icount, 1 CPU", margin=0.01, cells=cells, functions=functions, same_image=same_image,
    )  # fmt: skip


def gate(*cells: Cell, limits: tuple[Limit, ...] = (), **fields: object) -> Gate:
    empty = Gate(
        kassay_version="0.1.0", command="kassay ci main..HEAD", base_name="main", head_name="HEAD", base=SIDE,
        head=SIDE, suite="mm", machine="x86_64, icount, 1 CPU", emulator="QEMU 7.2.22", fail_over=0.005,
    )  # fmt: skip
    judged = _judged(empty, [(one, "mm/x.c", 12) for one in cells], limits)
    return structs.replace(judged, **fields)
