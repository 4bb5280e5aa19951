# SPDX-License-Identifier: GPL-2.0-only
"""The kernels and the machine: who they are, by what they were built, in what they differ."""

import re
from collections.abc import Iterator

from msgspec import UNSET

from kassay.model.experiment import labels
from kassay.model.kernel import KernelIdentity
from kassay.model.report import Report
from kassay.model.texts import Table, cells, counted, granted_texts, listed, one_line, table
from kassay.report.conditions import differing_options
from kassay.report.document import LETTER, PAGE, Code, Section, filled, section
from kassay.report.mail.names import everyday_text, mail_names
from kassay.report.mail.text import ascii_text
from kassay.report.sections.hosts import across_name, hosts_line
from kassay.report.words import compilers
from kassay.supply.clocks import clock_of

_HASH_DIGITS = 12  # enough to tell kernels apart by eye; the folded table has all 64
_NOT_KNOWN = "unknown"


def kernels(report: Report) -> Iterator[Section]:
    """Each kernel with its package and its compiler, then the machine they ran on."""
    identities = (_kernels_table(report), _identity_table(report)) if report.kernels else ()
    tables = filter(None, (*identities, _configurations_table(report), _machine_table(report)))
    yield section("Kernels and machine", tables=tables, readers=(PAGE,))
    yield from _letter(report)


def _kernels_table(report: Report) -> Table:
    """One row for each kernel, with its origin; hashes are shortened."""
    columns = ("kernel", "release", "arch", "compiler", "config", "image", "source")
    hashes = [[(h or "-")[:_HASH_DIGITS] for h in (k.config_sha256, k.image_sha256)] for k in report.kernels]
    rows = (
        cells(k.ref, k.release, k.arch, k.compiler or "-", *short, k.source or "-")
        for k, short in zip(report.kernels, hashes, strict=True)
    )
    return table("Kernels", columns, rows)


def _identity_table(report: Report) -> Table:
    """Every field of each kernel except its configuration, not shortened; "-" where it is not known."""
    fields = [(k.ref, name, getattr(k, name)) for k in report.kernels for name in k.__struct_fields__[1:]]
    rows = [
        cells(ref, name, "-" if value in (None, "") else str(value))
        for ref, name, value in fields
        if name not in ("configuration", "files") and (name != "config_source" or value)
    ]
    files = ((k.ref, file) for k in report.kernels if k.files is not UNSET for file in k.files)
    rows += [cells(ref, f"file {file.name}", f"sha256 {file.sha256}") for ref, file in files]
    return table("Identities in full", ("kernel", "field", "value"), rows, folded=True)


def _configurations_table(report: Report) -> Table | None:
    """Where the kernels' configurations differ in what can be part of a result; None where none is known."""
    if all(kernel.configuration is None for kernel in report.kernels):
        return None
    sources = [
        kernel.config_source or ("its own package or directory" if kernel.configuration is not None else "not known")
        for kernel in report.kernels
    ]
    rows = [cells("", "from", *sources)]
    for topic, name, values in differing_options(report):
        rows.append(cells(topic, name) + cells(*(value or "not known" for value in values.values()), mark="differs"))
    columns = ("topic", "option", *map(one_line, labels(report.experiment)))
    return table("Configurations: options that differ", columns, rows)


def _machine_table(report: Report) -> Table:
    """The machine that was granted, option by option."""
    m = report.machine
    facts = [("arch", m.arch), ("clock", m.clock), ("accelerator", m.accelerator), ("program", m.program)]
    facts += [("option", option) for option in m.options] + [("host", m.host)]
    facts += [("container", m.container)] if m.container else []
    facts += [("guest programs", f"by {report.guest_compiler}")] if report.guest_compiler else []
    return table("Machine", ("what", "value"), (cells(name, value or "-") for name, value in facts))


def _letter(report: Report) -> Iterator[Section]:
    """The same as a list, with the command line."""
    named = zip(mail_names(report).values(), report.kernels, strict=False)
    items = [f"{name}: {_identity(kernel)}" for name, kernel in named]
    built = compilers(report) if report.kernels else ()
    if len(built) == 1:
        items.append(f"compiler of all: {built[0][0]}" if built[0][0] != "not known" else "compiler: not known")
    else:
        name_of = dict(zip((one_line(k.ref) for k in report.kernels), mail_names(report).values(), strict=False))
        named_refs = ((compiler, [name_of.get(ref, ascii_text(ref)) for ref in refs]) for compiler, refs in built)
        items += [f"compiler of {listed(refs)}: {compiler}" for compiler, refs in named_refs]
    items += [_configuration(report), *_machine_texts(report)] if report.kernels else _machine_texts(report)
    given = _command_line(report)
    code = (Code(caption="Kernel command line", text=given, breaks="words"),) if given else ()
    yield from filled("Kernels and machine", items=items, code=code, readers=(LETTER,))


def _command_line(report: Report) -> str:
    """The kernel parameters of all runs, those of the user included; then a line for each kernel that has its own."""
    shared = [str(reason["parameters"]) for reason in report.disclosures if reason.code == "command-line"]
    own = dict(zip(mail_names(report).values(), (use.cmdline for use in report.experiment.kernels), strict=True))
    alike = len({*own.values()}) == 1
    lines = [] if alike else [f"{name}: {words}" for name, words in own.items() if words]
    common = " ".join(filter(None, (*shared, *(list(own.values())[:1] if alike else []))))
    return "\n".join(filter(None, (common, *lines)))


def _configuration(report: Report) -> str:
    """The configuration: the same for all kernels, or in which options it differs."""
    sums = {
        name: kernel.config_sha256 for name, kernel in zip(mail_names(report).values(), report.kernels, strict=False)
    }
    short_sums = {name: text[:16] for name, text in sums.items() if text}
    if not short_sums:
        return "configuration: not known"
    if len(short_sums) == len(sums) and len(set(short_sums.values())) == 1:
        return f"configuration: the same (sha256 {next(iter(short_sums.values()))})"
    sums_text = ", ".join(f"{name} {short_sums.get(name, 'not known')}" for name in sums)
    differs = f"differs{_in_options(report)}" if len(set(short_sums.values())) > 1 else "not known of all"
    return f"configuration: {differs} (sha256 {sums_text})"


def _in_options(report: Report) -> str:
    """Names of the options that differ, as far as they are known."""
    if names_ := [name for _, name, _ in differing_options(report)]:
        return f" in {', '.join(names_)}"
    all_known = all(kernel.configuration is not None for kernel in report.kernels)
    return " in no option that can be part of a result" if all_known else ""


def _identity(k: KernelIdentity) -> str:
    package = " ".join(text for text in (k.package, k.package_version) if text)
    names = [text for text in (package or k.release,) if text not in (_NOT_KNOWN, k.ref)]
    names += [f"image sha256 {k.image_sha256[:16]}"] if k.image_sha256 and not k.package_version else []
    names += [k.source] if k.source else []
    names += [k.arch] if k.arch != _NOT_KNOWN else []
    return ", ".join(names) or "nothing is known of it"


def _options(report: Report, options: str) -> str:
    """The options of the machine; where several have other numbers of CPUs, whose these are."""
    several = len({f.machine.cpus for f in report.findings}) > 1
    cpus = _CPUS.search(options) if several else None
    return f"options of the one with {counted(int(cpus[1]), 'CPU')}: {options}" if cpus else f"its options: {options}"


_CPUS = re.compile(r"-smp (\d+)")


def _machine_texts(report: Report) -> list[str]:
    m = report.machine
    uses = dict.fromkeys(granted_texts(f.machine) for f in report.findings)
    sizes = "; ".join(", ".join(use) for use in uses if use)
    program = "" if m.program == _NOT_KNOWN or report.sources else m.program  # for imported files this is their format
    granted = ", ".join(word for word in (m.arch, program, sizes) if word not in ("", _NOT_KNOWN))
    items = [f"machine: {granted}"] if granted else []
    items += [f"in {m.container}"] if m.container else []
    items += [_options(report, " ".join(m.options))] if m.options else []
    # The host does not change an exact count, but it does change times.
    items += [f"host: {m.host}"] if m.host not in ("", _NOT_KNOWN) and clock_of(m.clock).timed else []
    items += [f"hosts that made the runs: {hosts_line(report.hosts)}"] if report.hosts else []
    return items + [
        f"{across_name(comparison, mail_names(report))}: {everyday_text(report, comparison.meaning)}"
        for comparison in report.across_hosts
    ]
