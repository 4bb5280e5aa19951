# SPDX-License-Identifier: GPL-2.0-only
"""Writes docs/reference/workloads/ from what the programs say of themselves (`make pages`)."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks._pages import narrow

from kassay.model.units import format_bytes
from kassay.model.workload import Parameter, Workload
from kassay.registry import is_extension
from kassay.supply.guest import catalog, sources

DIRECTORY = Path(__file__).parents[2] / "docs" / "reference" / "workloads"
INDEX = "README.md"
_MADE = "<!-- Made by `make pages` from guest/workloads/. Change the programs, not this page. -->\n"
_COMMENT = re.compile(r"\A// SPDX[^\n]*\n/\*(.*?)\*/", re.DOTALL)


def pages() -> dict[str, str]:
    """Every page by its file's name: an index by group, and one page for each workload of kassay's own."""
    groups = [(group, [w for w in members if _is_own(w)]) for group, members in catalog.grouped()]
    groups = [(group, members) for group, members in groups if members]
    made = {f"{workload.name}.md": _page(workload) for _, members in groups for workload in members}
    return {name: narrow(text) for name, text in {INDEX: _index(groups), **made}.items()}


def main() -> None:
    """Writes the pages, and removes those of workloads that are gone."""
    DIRECTORY.mkdir(exist_ok=True)
    made = pages()
    for path in DIRECTORY.glob("*.md"):
        if path.name not in made and path.read_text("utf-8").startswith(_MADE):
            path.unlink()
    for name, text in made.items():
        (DIRECTORY / name).write_text(text, "utf-8")


def _is_own(workload: Workload) -> bool:
    return not is_extension(sources.path_of(f"workloads/{workload.name}.c"))


def _index(groups: Sequence[tuple[str, Sequence[Workload]]]) -> str:
    count = sum(len(members) for _, members in groups)
    lines = [
        _MADE, f"# The {count} workloads\n",
        "Each is one C file in `guest/workloads/` and one static program. `kassay workloads` lists them, `kassay",
        "workloads NAME` shows one, `kassay workloads NAME --reproducer` prints it as one C file that needs no kassay.",
        "[Planted instructions](../../results/planted.md) shows that each of them reacts to code on its own path.",
    ]  # fmt: skip
    for group, members in groups:
        lines += [
            "",
            f"## {group[:1].upper()}{group[1:]}",
            "",
            "| workload | what it does | its metric |",
            "| --- | --- | --- |",
        ]
        for workload in members:
            primary = next(phase for phase in workload.phases if phase.primary)
            name = f"[{workload.name}]({workload.name}.md)"
            lines.append(f"| {name} | {_cell(workload.summary)} | `{primary.name}` per {primary.operation} |")
    return "\n".join(lines) + "\n"


def _page(workload: Workload) -> str:
    lines = [_MADE, f"# {workload.name}\n", f"{_sentence(workload.summary)}\n"]
    comment = _COMMENT.match(sources.path_of(f"workloads/{workload.name}.c").read_text("utf-8"))
    text = " ".join(comment.group(1).replace("\n *", " ").split()) if comment else ""
    lines += [f"{text}\n"] if text else []
    lines += ["```", f"kassay compare {workload.name} debian:6.12 debian:6.17{_example(workload)}", "```", ""]
    lines += [f"**Required state**: {workload.state}.", ""]
    lines += [f"**It changes the machine**: {workload.alters}.", ""] if workload.alters else []
    for conflict in workload.conflicts:
        terms = " and ".join(f"`{term}`" for term in conflict.terms)
        lines += [f"**It cannot be measured** with {terms}: {conflict.why}.", ""]
    modules = ", ".join(f"`{name}`" for name in workload.modules)
    lines += [f"**Kernel modules** that are loaded for it: {modules}.", ""] if modules else []
    if workload.parameters:
        lines += ["| parameter | default | values | meaning |", "| --- | --- | --- | --- |"]
        lines += [f"| `{p.name}` | {p.default} | {_values(p)} | {_cell(p.summary)} |" for p in workload.parameters]
        lines.append("")
    lines += ["| metric | per | definition |", "| --- | --- | --- |"]
    for phase in workload.phases:
        name = f"**`{phase.name}`**" if phase.primary else f"`{phase.name}`"
        lines.append(f"| {name} | {phase.operation} | {_cell(phase.definition)} |")
    lines += ["", "A verdict is about the metric in bold type."]
    return "\n".join(lines) + "\n"


def _example(workload: Workload) -> str:
    """A setting that is not the default, where there is a choice."""
    choice = next((p for p in workload.parameters if p.kind == "choice"), None)
    other = next((value for value in choice.choices if value != choice.default), None) if choice else None
    return f" --set {choice.name}={other}" if choice and other else ""


def _values(parameter: Parameter) -> str:
    if parameter.kind == "choice":
        return ", ".join(parameter.choices)
    show = format_bytes if parameter.kind == "size" else str
    return f"{show(parameter.minimum or 0)} to {show(parameter.maximum or 0)}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
