# SPDX-License-Identifier: GPL-2.0-only
"""Texts, experiment files, charts and sources of a bundle are compared with what its runs give."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.model.progress import silent
from kassay.tools.bundle.agreement import JSON
from kassay.tools.bundle.manifest import NAME, Manifest
from kassay.tools.bundle.pack import pack
from kassay.tools.bundle.verify import LIMIT, rerun, verify
from tests.bundle.test_packing import COSTS, RELEASES, bundle, directory, edit, packed, resealed
from tests.history.directories import measured, plan_with

pytestmark = pytest.mark.slow  # draws charts and renders every form: seconds, not milliseconds
__all__ = ["bundle", "directory", "packed"]  # the fixtures


def other_readme(root: Path) -> None:
    edit(root, "README", "2.00", "9.99")


def other_pinned(root: Path) -> None:
    edit(root, "run/pinned.toml", "rounds = ", "rounds = 1")


def other_spec(root: Path) -> None:
    edit(root, "run/spec.toml", "rounds = ", "rounds = 1")


def no_pinned(root: Path) -> None:
    (root / "run/pinned.toml").unlink()


def no_forms(root: Path) -> None:
    for name in ("html.html", "mail.mail"):
        (root / "report" / name).unlink()


def no_chart(root: Path) -> None:
    (root / "report/report-1.svg").unlink()


@pytest.mark.parametrize(
    ("forge", "problem"),
    [
        (other_readme, "README: not what kassay makes of its runs"),
        (other_pinned, "run/pinned.toml: not what kassay makes of its runs"),
        (other_spec, "run/spec.toml: not what kassay makes of its runs"),
        (no_pinned, "run/pinned.toml: not what kassay makes of its runs"),
        (no_forms, "report/html.html; report/mail.mail: missing, and not listed as absent"),
        (no_chart, "report/report-1.svg: missing, and not listed as absent"),
    ],
)
def test_a_forged_text_or_a_missing_form_is_found(bundle: Path, forge: Callable[[Path], None], problem: str) -> None:
    forge(bundle)
    resealed(bundle)
    with pytest.raises(BadInput) as caught:
        verify(bundle, LIMIT, silent)
    assert problem in caught.value.what


@pytest.mark.parametrize("field", ["commands", "next_steps"])
def test_a_json_with_other_commands_is_not_what_to_rely_on(bundle: Path, field: str) -> None:
    report = json.loads((bundle / JSON).read_bytes())
    (bundle / JSON).write_text(json.dumps({**report, field: ["kassay run evil.toml"]}))
    resealed(bundle)
    with pytest.raises(BadInput, match=f"{JSON}: not what kassay makes") as caught:
        verify(bundle, LIMIT, silent)
    assert "alone" not in caught.value.remedy and "commands" in caught.value.remedy


@pytest.mark.parametrize("changes", [{"name": "another"}, {"kind": "import"}, {"kind": "other"}])
def test_name_and_kind_of_the_manifest_are_those_of_its_runs(bundle: Path, changes: dict[str, str]) -> None:
    resealed(bundle, **changes)
    (value,) = changes.values()
    with pytest.raises(BadInput, match=f"the manifest's {next(iter(changes))} is {value!r}, that of its runs is"):
        verify(bundle, LIMIT, silent)


def test_texts_of_another_version_are_not_checked_and_missing_forms_are_named(bundle: Path) -> None:
    for forge in (other_readme, other_pinned, no_forms):
        forge(bundle)
    resealed(bundle, kassay_version="0.0.1")
    found = verify(bundle, LIMIT, silent)
    assert found.unchecked == ("README", "run/pinned.toml")
    assert "missing, and not listed as absent: report/html.html; report/mail.mail" in found.notes


def test_an_experiment_in_other_words_is_the_same_experiment(bundle: Path) -> None:
    """Earlier versions wrote the file otherwise."""
    for name in ("run/pinned.toml", "run/spec.toml"):
        (bundle / name).write_text("# of an earlier version\n" + (bundle / name).read_text())
    resealed(bundle)
    assert verify(bundle, LIMIT, silent).unchecked == ()


def test_a_forged_experiment_is_not_measured(bundle: Path, tmp_path: Path) -> None:
    other_pinned(bundle)
    resealed(bundle)
    with pytest.raises(BadInput, match=r"run/pinned\.toml: not the experiment of its plan"):
        rerun(bundle, lambda _: tmp_path / "again", LIMIT, silent)
    assert not (tmp_path / "again").exists()


def test_the_timed_experiment_is_checked_too(tmp_path: Path) -> None:
    both = measured(tmp_path / "d", plan_with(RELEASES), COSTS)
    measured(both / "beside", plan_with(RELEASES, rounds=9), {0: [5], 1: [6]})
    pack(both, tmp_path / "b", silent)
    edit(tmp_path / "b", "run/beside/pinned.toml", "rounds = 9", "rounds = 1")
    resealed(tmp_path / "b")
    with pytest.raises(BadInput, match=r"run/beside/pinned\.toml: not what kassay makes"):
        verify(tmp_path / "b", LIMIT, silent)


def test_files_that_this_host_makes_otherwise_are_named_as_not_checked(bundle: Path) -> None:
    others = ("report/report-1.png", "source/guest/Makefile", "source/guest/another.c")
    for name in others:
        (bundle / name).write_bytes(b"int evil;")
    words = msgspec.json.decode((bundle / NAME).read_bytes(), type=Manifest).sources
    edit(bundle, "README", words, "they are\nthe very programs")
    resealed(bundle, sources="they are\nthe very programs")
    found = verify(bundle, LIMIT, silent)
    assert found.unchecked == others
    assert found.notes[0] == f"not checked: {'; '.join(others)}"
    assert found.notes[-1] == "sources, says its packer (not checked): they are\\nthe very programs"
