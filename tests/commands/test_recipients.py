# SPDX-License-Identifier: GPL-2.0-only
"""Whom a report's mail names for the functions: by the sources of the kernel, and where no tool takes them for tags."""

from pathlib import Path

import pytest

from kassay.commands._recipients import recipients_text
from kassay.model.progress import silent
from kassay.report.answer_form import PEOPLE
from kassay.report.formats import format_named
from kassay.report.mail.layout import WIDTH
from kassay.supply.building import git
from tests.report.reports import SAMPLES

FILES = {
    "mm/mprotect.c": "long change_protection(void)\n{\n}\nlong change_pte_range(int n)\n{\n}\n",
    "mm/memory.c": "void *vm_normal_page(int n)\n{\n}\n",
    "mm/first.c": "static int prot_commit_flush_ptes(int n)\n{\n}\n",
    "mm/second.c": "static int prot_commit_flush_ptes(int n)\n{\n}\n",
}
MAINTAINERS = "MEMORY\nM:\tÄnne Autor <a@example.org>\nL:\tlinux-mm@example.org\nF:\tmm/memory.c\nF:\tmm/mprotect.c\n"


def stored(place: Path, release: str, people: str) -> None:
    """Sources of a release in the store, as an earlier build left them."""
    for path, text in {**FILES, "MAINTAINERS": people}.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    tree = git.tree_of_files(place, silent, subject="x")
    (git.store() / "releases").mkdir(exist_ok=True)
    (git.store() / "releases" / release).write_text(f"{tree} {release}: a tarball\n")
    (git.store() / "releases" / f"{release}.lock").write_text("1\n")


def test_people_of_the_kernels_own_sources_are_named(tmp_path: Path, cache: Path) -> None:
    stored(tmp_path / "new", "7.3.4", MAINTAINERS.replace("Änne", "New"))
    report = SAMPLES["compare"]()
    assert "New Autor <a@example.org>" in recipients_text(report, silent)
    stored(tmp_path / "own", "6.17.13", MAINTAINERS)
    about, *people = recipients_text(report, silent)
    assert about == (
        "MAINTAINERS of Linux 6.17.13 names for mm/mprotect.c (change_protection, change_pte_range) and mm/memory.c "
        "(vm_normal_page):"
    )
    assert people == ['"Änne Autor" <a@example.org>', "linux-mm@example.org"]


def test_they_stand_below_the_signature(tmp_path: Path, cache: Path) -> None:
    stored(tmp_path / "own", "6.17.13", MAINTAINERS)
    report = SAMPLES["compare"]()
    mail = format_named("mail")
    text = mail.render(report, {PEOPLE: recipients_text(report, silent), "--to": ("x@example.org",)})
    body, signature, below = text.partition("\n-- \n")
    assert signature and "example.org" not in body.partition("\n\n")[2]
    assert below.endswith('\n  "Anne Autor" <a@example.org>\n  linux-mm@example.org\n')
    assert text.isascii() and max(map(len, text.splitlines())) <= WIDTH
    assert mail.render(report, {PEOPLE: ()}) == mail.render(report)


@pytest.mark.parametrize("sample", ["refused", "empty", "imported", "timed", "compare"])
def test_nobody_is_named_without_functions_or_sources(sample: str, tmp_path: Path, cache: Path) -> None:
    if sample != "compare":
        stored(tmp_path / "own", "6.17.13", MAINTAINERS)
    assert recipients_text(SAMPLES[sample](), silent) == ()
