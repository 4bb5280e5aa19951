# SPDX-License-Identifier: GPL-2.0-only
"""Workloads that are known to execute changed functions: the first answer of a review, without a build or a boot.

The atlas has the costs of compiled functions on stock kernels. A function that the compiler inlined there is looked up
in the table of a kernel with line tables (evidence/reached.py).
"""

from collections.abc import Collection, Iterable

from kassay.evidence.reached import reached
from kassay.labs.review.model import Known, KnownSetting
from kassay.labs.review.settings import setting_text
from kassay.model.experiment import WorkloadUse
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.texts import counted, listed, shortened
from kassay.model.units import format_number
from kassay.spec.load import suite_workloads
from kassay.supply.archive.versions import upstream_of
from kassay.tools.atlas.read import Atlas, reading_atlas

SUITE = "mm"
"""Suite that settings are taken from."""
_SHOWN = 10
"""Settings that a text names."""
_BODY = "__do_sys_"
_ENTRIES = {"x86_64": "__x64_sys_", "arm64": "__arm64_sys_"}
"""Functions that stock kernels inline the body of a system call into."""


def known(functions: Collection[str], version: str, arch: str, tell: Tell) -> Known:
    """Look up functions of a source tree. version: upstream version of the sources."""
    with reading_atlas(tell) as atlas:
        kernel = atlas.nearest(version, arch)
        settings, found = _settings(atlas, kernel, arch, functions) if kernel else ((), frozenset[str]())
        name = atlas.kernels[kernel].locator if kernel else ""
        date = max((cell.date for (_, other), cell in atlas.cells.items() if other == kernel), default="")
    table = reached()
    inlined = {name: table[name].workloads for name in functions if name not in found}
    return Known(
        kernel=name, date=date, settings=settings,
        inlined=tuple((name, workloads) for name, workloads in inlined.items() if workloads),
        unknown=tuple(name for name, workloads in inlined.items() if not workloads),
    )  # fmt: skip


def _settings(
    atlas: Atlas, kernel: str, arch: str, functions: Iterable[str]
) -> tuple[tuple[KnownSetting, ...], frozenset[str]]:
    """(settings, largest share first; functions of which the kernel has costs)."""
    called = {name.replace(_BODY, _ENTRIES.get(arch, _BODY)): name for name in functions}
    called |= {name: name for name in called.values()}
    found: set[str] = set()
    by_setting: dict[str, KnownSetting] = {}
    for (series, other), costs in atlas.costs(called).items():
        if other != kernel:
            continue
        one = atlas.series[series]
        names = {name: sum(cost.own for key, cost in costs.items() if called[key] == name) for name in called.values()}
        executed = {called[name] for name in costs}
        found |= executed
        cost = sum(names.values())
        settings = (Setting(name=name, value=value) for name, value in one.settings.items())
        row = KnownSetting(
            setting=setting_text(one.workload, settings), unit=one.unit, cost=cost,
            share=cost / atlas.cells[series, kernel].value,
            functions=tuple(sorted(executed, key=lambda name: -names[name])),
        )  # fmt: skip
        by_setting.setdefault(row.setting, row)
    return tuple(sorted(by_setting.values(), key=lambda row: (-row.share, row.setting))), frozenset(found)


def uses_of(first: Known) -> tuple[WorkloadUse, ...]:
    """The workloads of the suite that execute the functions, those with the largest share first."""
    names = [row.setting for row in first.settings] + [name for _, workloads in first.inlined for name in workloads]
    suite = {use.name: use for use in suite_workloads(SUITE)}
    order = dict.fromkeys(name.partition(" ")[0] for name in names)
    return tuple(suite[name] for name in order if name in suite)


def executed_names(first: Known) -> frozenset[str]:
    """Functions that some workload is known to execute."""
    named = {name for row in first.settings for name in row.functions}
    return frozenset(named | {name for name, _ in first.inlined})


def known_texts(first: Known) -> tuple[str, ...]:
    """Lines on who executes the functions: a heading, settings indented, then functions that were inlined."""
    texts = []
    if first.settings:
        of = f"Linux {upstream_of(first.kernel)} (atlas, {first.date})"
        texts.append(f"These settings execute the changed functions on {of}. Their part of all instructions:")
        texts += [
            f"  {row.setting}: {_share(row)}, {format_number(row.cost)} {row.unit} in {listed(list(row.functions))}"
            for row in first.settings[:_SHOWN]
        ]
        more = len(first.settings) - _SHOWN
        texts += [f"  and {counted(more, 'setting')} more"] if more > 0 else []
    return (*texts, *(
        f"{name} is inlined in stock kernels; with line tables it was seen in {listed(list(workloads))}."
        for name, workloads in first.inlined
    ))  # fmt: skip


def known_line(first: Known) -> str:
    """The same in one line of progress; "" if nothing is known."""
    parts = [f"{row.setting} {_share(row)}" for row in first.settings]
    parts = parts or list(dict.fromkeys(name for _, workloads in first.inlined for name in workloads))
    return f"executed by {listed(shortened(parts, _SHOWN))}" if parts else ""


def _share(row: KnownSetting) -> str:
    return f"{100 * row.share:.3g} %"
