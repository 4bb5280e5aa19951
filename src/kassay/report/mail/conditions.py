# SPDX-License-Identifier: GPL-2.0-only
"""Under which conditions: the work in words, the state of memory on every kernel, who the kernels are, the machine."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.kernel import KernelIdentity
from kassay.model.report import AuditTable, Report
from kassay.model.texts import granted_texts, listed, one_line, table
from kassay.report.conditions import differing_options
from kassay.report.document import Block, Code, Items, Paragraph, Section, section
from kassay.report.hosts import across_name, hosts_line
from kassay.report.mail.headline import headline
from kassay.report.mail.names import called, everyday, names, point_words, work
from kassay.report.mail.text import ascii_text, sentence, stopped
from kassay.report.tables import differences_table
from kassay.report.words import compilers
from kassay.supply.clocks import clock_of

_PREFIXES = {
    "range.": "range.* is /proc/PID/smaps of the mapping (sizes in kB)",
    "pagemap.": "pagemap.* counts its pages in /proc/PID/pagemap",
    "pageflags.": "pageflags.* counts them in /proc/kpageflags",
}
_NOT_KNOWN = "unknown"


def measured(report: Report) -> Iterator[Section]:
    """What was done, what one figure is, how often, and by which clock."""
    topic = headline(report)
    if topic is None:
        return
    f, rounds = topic.finding, report.experiment.rounds
    workload = next((w for w in report.workloads if w.name == f.workload), None)
    settings = ", ".join(f"{setting.name}={setting.value}" for setting in f.settings)
    summary = workload.summary if workload is not None else work(report, f)
    more = f"; {settings}" if settings and workload is not None else ""
    items = [
        stopped(f"{f.workload}: {summary}{more}") if summary != f.workload else "",
        sentence(f"State it needs: {workload.state}") if workload is not None and workload.state else "",
        stopped(f"{f.metric}: {f.definition}") if f.definition else "",
        f"A round is one repetition of the work inside a boot; a boot has {rounds} of them." if rounds else "",
        clock_of(f.machine.clock).mechanism,
    ]
    yield section("What was measured", items=filter(None, items))


def state(report: Report) -> Iterator[Block]:
    """The audited state: where it differs, or field by field that it does not."""
    topic = headline(report)
    apart = next((f for f in report.findings if f.differences), None)
    if apart is not None:
        differing = differences_table(apart)
        columns = (*differing.columns[:2], *(called(report, side.kernel) for side in apart.sides))
        shown = table("", columns, differing.rows)
        yield section("State that should have been the same and was not", tables=(shown,))
        return
    audits = [] if topic is None else _audits(report, topic.finding)
    text = everyday(report, report.state)
    if topic is not None and audits:
        yield _agreeing(report, topic.finding, audits)
    elif text and not report.sources:  # imported files have it among the limits
        yield Paragraph(text=stopped(f"State of memory: {text}"))


def _audits(report: Report, f: Finding) -> list[AuditTable]:
    same = (a for a in report.audits if a.settings == f.settings)
    return [a for a in same if a.workload in ("", f.workload) and a.machine in (None, f.machine)]


def _agreeing(report: Report, f: Finding, audits: Sequence[AuditTable]) -> Section:
    """ "name = before / after" for what must agree and is not zero; the zeros in one line; what differs by kernel."""
    kernels = list(dict.fromkeys(a.kernel for a in audits))
    values = {(a.moment, a.kernel): dict(a.fields) for a in audits}
    moments = [moment for moment in ("before", "after") if any(a.moment == moment for a in audits)]
    rows: list[str] = []
    zeros: list[str] = []
    for name in report.gate_fields:
        texts = [_over(values, moment, kernels, name, report) for moment in moments]
        if name.startswith("cpus."):
            numbers = " / ".join(f"CPU {text}" for text in dict.fromkeys(texts))
            rows.append(f"{numbers} {name.removeprefix('cpus.')}")
        elif set(texts) == {"0"}:
            zeros.append(name)
        elif set(texts) != {"-"}:
            rows.append(f"{name} = {' / '.join(texts)}")
    point = point_words(report, f)
    who = "both kernels" if len(kernels) == 2 else f"all {len(kernels)} kernels" if len(kernels) > 2 else "the kernel"
    moment = " and ".join(moments)
    title = f"State of the mapping on {who}, read {moment} the measured part{f' ({point})' if point else ''}"
    rows += [f"0 {moment}: {', '.join(zeros)}"] if zeros else []
    shown = [text for prefix, text in _PREFIXES.items() if any(n.startswith(prefix) for n in report.gate_fields)]
    note = (Paragraph(text=f"Here {stopped('; '.join(shown))}"),) if shown else ()
    listing = (Items(texts=tuple(rows), bare=True),) if rows else ()
    return Section(title=f"{title} ({' / '.join(moments)})", blocks=(*listing, *note))


def _over(values: dict[tuple[str, str], dict[str, str | None]], moment: str, kernels: Sequence[str], name: str,
          report: Report) -> str:  # fmt: skip
    """The value where all kernels have the same, else the value of each kernel."""
    by_kernel = {kernel: values.get((moment, kernel), {}).get(name) for kernel in kernels}
    if len(set(by_kernel.values())) == 1:
        return next(iter(by_kernel.values())) or "-"
    return ", ".join(f"{text or '-'} on {called(report, kernel)}" for kernel, text in by_kernel.items())


def kernels(report: Report) -> Iterator[Section]:
    """Each kernel with its package, its compiler, then the machine and the command line they ran on."""
    named = zip(names(report).values(), report.kernels, strict=False)
    items = [f"{name}: {_identity(kernel)}" for name, kernel in named]
    built = compilers(report) if report.kernels else ()
    if len(built) == 1:
        items.append(f"compiler of all: {built[0][0]}" if built[0][0] != "not known" else "compiler: not known")
    else:
        items += [f"compiler of {listed(_called_refs(report, refs))}: {compiler}" for compiler, refs in built]
    items += [_configuration(report), *_machine(report)] if report.kernels else _machine(report)
    given = next((str(reason["parameters"]) for reason in report.disclosures if reason.code == "command-line"), "")
    code = (Code(caption="Kernel command line", text=given, breaks="words"),) if given else ()
    if items:
        yield section("Kernels and machine", items=items, code=code)


def _configuration(report: Report) -> str:
    """Whether all kernels have the same configuration: readers ask for it after the compiler."""
    sums = {name: kernel.config_sha256 for name, kernel in zip(names(report).values(), report.kernels, strict=False)}
    short_sums = {name: text[:16] for name, text in sums.items() if text}
    if not short_sums:
        return "configuration: not known"
    if len(short_sums) == len(sums) and len(set(short_sums.values())) == 1:
        return f"configuration: the same (sha256 {next(iter(short_sums.values()))})"
    sums_text = ", ".join(f"{name} {short_sums.get(name, 'not known')}" for name in sums)
    differs = f"differs{_in_options(report)}" if len(set(short_sums.values())) > 1 else "not known of all"
    return f"configuration: {differs} (sha256 {sums_text})"


def _in_options(report: Report) -> str:
    """Which options differ, as far as that is known."""
    if names_ := [name for _, name, _ in differing_options(report)]:
        return f" in {', '.join(names_)}"
    all_known = all(kernel.configuration is not None for kernel in report.kernels)
    return " in no option that can be part of a result" if all_known else ""


def _called_refs(report: Report, refs: Sequence[str]) -> list[str]:
    by_ref = dict(zip((one_line(k.ref) for k in report.kernels), names(report).values(), strict=False))
    return [by_ref.get(ref, ascii_text(ref)) for ref in refs]


def _identity(k: KernelIdentity) -> str:
    package = " ".join(text for text in (k.package, k.package_version) if text)
    words = [text for text in (package or k.release,) if text not in (_NOT_KNOWN, k.ref)]
    words += [f"image sha256 {k.image_sha256[:16]}"] if k.image_sha256 and not k.package_version else []
    words += [k.source] if k.source else []
    words += [k.arch] if k.arch != _NOT_KNOWN else []
    return ", ".join(words) or "nothing is known of it"


def _machine(report: Report) -> list[str]:
    m = report.machine
    uses = dict.fromkeys(granted_texts(f.machine) for f in report.findings)
    sizes = "; ".join(", ".join(use) for use in uses if use)
    program = "" if m.program == _NOT_KNOWN or report.sources else m.program  # for imported files this is their format
    items = [
        f"machine: {text}"
        for text in [", ".join(word for word in (m.arch, program, sizes) if word not in ("", _NOT_KNOWN))]
        if text
    ]
    items += [f"its options: {' '.join(m.options)}"] if m.options else []
    # The host does not change an exact count, but it does change times.
    items += [f"host: {m.host}"] if m.host not in ("", _NOT_KNOWN) and not clock_of(m.clock).exact else []
    items += [f"hosts that made the runs: {hosts_line(report.hosts)}"] if report.hosts else []
    return items + [
        f"{across_name(comparison, names(report))}: {everyday(report, comparison.meaning)}"
        for comparison in report.across_hosts
    ]
