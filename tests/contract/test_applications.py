# SPDX-License-Identifier: GPL-2.0-only
"""Every application: that its words fit together, and that its input is the same whenever it is made."""

from pathlib import Path, PurePosixPath

import pytest

from kassay.errors import BadInput
from kassay.model.program import parameter_names
from kassay.model.units import parse_bytes
from kassay.registry import EXTENSIONS, names
from kassay.supply.applications import application, application_names, applications
from kassay.supply.arches import arches
from kassay.supply.guest import sources
from kassay.supply.guest.application import workload_of

each = pytest.mark.parametrize("name", application_names())


@each
def test_its_commands_name_programs_and_its_own_parameters(name: str) -> None:
    one = application(name)
    commands = [command for _, command in one.commands]
    assert all(PurePosixPath(command[0]).is_absolute() for command in commands)
    words = [word for command in commands for word in command] + [*one.environment, *one.require, one.operations]
    assert {name for word in words for name in parameter_names(word)} == {
        parameter.name for parameter in one.parameters
    }
    assert all(one_of.partition("=")[1] for one_of in one.environment)


@each
def test_its_words_are_complete(name: str) -> None:
    one = application(name)
    assert one.summary and one.uses and one.packages and one.operation
    assert not one.summary.endswith(".") and not one.uses.endswith(".")
    assert set(one.arches) <= set(arches()) and one.arches
    assert bool(one.server) == bool(one.ready)
    assert bool(one.start_line) == bool(one.end_line)
    assert parse_bytes(one.memory) >= 256 << 20


@each
def test_no_workload_and_no_suite_has_its_name(name: str) -> None:
    assert name not in sources.workload_names()


def test_an_application_of_kassay_path_is_found_and_its_name_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "applications"
    folder.mkdir()
    text = Path(sources.__file__).parents[1].joinpath("applications/sort_files.py").read_text(encoding="ascii")
    (folder / "sort_mine.py").write_text(text, encoding="ascii")
    monkeypatch.setenv(EXTENSIONS, str(tmp_path))
    _forget()
    try:
        assert {"sort_mine", "sort_files"} <= set(names("kassay.supply.applications"))
        with pytest.raises(BadInput, match=r"sort_mine[.]py: its application is named 'sort_files'"):
            applications()
    finally:
        monkeypatch.undo()
        _forget()


def test_the_example_of_the_guide_is_an_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "reference" / "applications.md").read_text(encoding="utf-8")
    (tmp_path / "applications").mkdir()
    (tmp_path / "applications" / "sort_words.py").write_text(guide.split("```python\n")[1].split("```")[0])
    monkeypatch.setenv(EXTENSIONS, str(tmp_path))
    _forget()
    try:
        one = application("sort_words")
        assert one.inputs() == one.inputs()
        assert workload_of(one).phases[0].operation == "line"
    finally:
        monkeypatch.undo()
        _forget()


def _forget() -> None:
    import kassay.registry
    import kassay.supply.applications

    kassay.registry._folders.cache_clear()
    kassay.supply.applications.application_names.cache_clear()
    kassay.supply.applications.application.cache_clear()
    kassay.supply.applications.__path__[:] = [str(Path(kassay.supply.applications.__file__).parent)]
