# SPDX-License-Identifier: GPL-2.0-only
"""Timing files: those that kassay ships are whole, and errors of others say where, what and the way out."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.labs.predict.decode import decoder_of
from kassay.labs.predict.parameters import parameters
from kassay.labs.predict.ports import groups_of, spec_of
from kassay.labs.predict.timing import (
    ASSUMED,
    MEASURED,
    STATED,
    Timing,
    is_shipped,
    parse,
    quantities,
    timing_for,
    timings,
)
from kassay.supply.cpus import cpus
from tests.source import ROOT

PUBLISHED = (
    "skylake", "skylake_sp", "cascadelake_sp", "icelake_sp", "alderlake_p", "sapphirerapids", "emeraldrapids",
    "graniterapids", "zen1", "zen2", "zen3", "zen4", "neoverse_n1", "neoverse_v1",
)  # fmt: skip

ADDITION = '"add r64,r64" = [1, 1, "fx1"]'


def test_the_page_says_how_many_files_are_shipped_and_which_were_calibrated() -> None:
    page = (ROOT / "docs" / "reference" / "calibrate.md").read_text("utf-8")
    shipped = {name: timing_for(name) for name, path in timings().items() if is_shipped(path)}
    calibrated = sorted(name for name, timing in shipped.items() if timing.calibrated)
    assert f"kassay ships {len(shipped)} files." in page
    assert f"{' and '.join(f'`{name}`' for name in calibrated)} were calibrated" in page
    assert shipped.keys() == {*PUBLISHED, *calibrated}


def text_of(name: str) -> str:
    return timings()[name].read_text()


def short_of(name: str) -> str:
    """A file with one instruction: most of a file are others."""
    head, rest = text_of(name).split("[instructions]\n")
    return f"{head}[instructions]\n{ADDITION}\n[[lines]]\n{rest.partition('[[lines]]')[2]}"


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_shipped_file_is_whole(name: str) -> None:
    timing = timing_for(name)
    assert (timing.name, timing.calibrated) == (name, False)
    assert list(timing.parameters) == list(parameters())
    assert timing.arch in cpus()[name].models
    assert len(timing.instructions) > 500
    assert "socket" in [level.within for level in timing.lines]
    assert any(quantity.low < quantity.high for quantity in timing.parameters.values())


@pytest.mark.parametrize("name", [*PUBLISHED, "zen4_kvm"])
def test_every_number_of_a_shipped_file_says_whether_it_was_measured(name: str) -> None:
    status = {key: (quantity.status, quantity.source) for key, quantity in quantities(timing_for(name))}
    assert {word for word, _ in status.values()} == {STATED, ASSUMED, MEASURED}
    guessed = {key: word for key, (word, source) in status.items() if ": estimate" in f": {source}"}
    assert set(guessed.values()) == {ASSUMED}, guessed


def test_an_unknown_status_is_an_error() -> None:
    text = text_of("zen3").replace('status = "assumed"', 'status = "guessed"', 1)
    with pytest.raises(BadInput, match="status 'guessed' is none of measured, stated, assumed"):
        parse(text, "cpu.toml")


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_system_instruction_of_the_decoder_has_a_cost(name: str) -> None:
    timing = timing_for(name)
    assert decoder_of(timing.arch).system <= timing.system.keys()


@pytest.mark.parametrize("name", PUBLISHED)
def test_loads_and_stores_issue_on_their_ports(name: str) -> None:
    timing = timing_for(name)
    load = "mov r64,m64" if timing.arch == "x86_64" else "ldr x,[x]"
    mask = int(timing.parameters["load_ports"].value)
    _, latency, ports = timing.instructions[load]
    assert latency == 0
    assert groups_of(ports) == ((mask, 1),)


def test_a_file_of_an_earlier_version_is_read_as_then() -> None:
    lines = text_of("zen4_kvm").splitlines(keepends=True)
    added = ("lock_value = ", "lock_reload = ", "lock_same = ")
    timing = parse("".join(line for line in lines if not line.startswith(added)), "old.toml")
    assert set(timing.parameters) == set(parameters())
    assert timing.parameters["lock_value"].value == timing.parameters["lock_latency"].value
    assert timing.parameters["lock_same"].value == timing.parameters["lock_interval"].value
    assert timing.parameters["lock_reload"].value == 0
    assert timing.parameters["lock_same"].source == "not in this file: as lock_interval"


def test_names_are_written_with_either_dash() -> None:
    assert timing_for("skylake-sp") is not timing_for("zen3")
    assert timing_for("skylake-sp").name == timing_for("Skylake_SP").name == "skylake_sp"


def test_an_unknown_cpu_lists_the_known_ones_and_calibrate() -> None:
    with pytest.raises(BadInput) as raised:
        timing_for("zen33")
    assert "did you mean zen3?" in raised.value.remedy
    assert "kassay calibrate" in raised.value.remedy and "skylake-sp" in raised.value.remedy


def test_any_file_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text_of("zen4").replace('name = "zen4"', 'name = "mine"', 1))
    assert timing_for(str(path)).name == "mine"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        timing_for(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('schema = "kassay-timing/1"', 'schema = "kassay-timing/9"', "kassay-timing/9"),
        ("\nwidth = {", "\nbreadth = {", "parameters.width: missing"),
        ('within = "socket"', 'within = "die"', "lines: core complex, die, machine; but a socket is needed"),
        ("cpus = 8\n", "cpus = 0\n", "lines.core complex.cpus: 0 is not positive"),
        ("cpus = 96", "cpus = 90", "lines.socket.cpus: 90 is no multiple of the 8 of a core complex"),
        ("ns = { value = 95,", "ns = { value = 9,", "lines.socket.ns: 9 is not from its low to its high"),
        ("\nwidth = {", "\nbreadth = {", "parameters.breadth: unknown; known: width"),
        ("width = { value = 6", "width = { value = 60", "parameters.width: 60 is not from 1 to 16"),
        ("width = { value = 6", "width = { value = 5.5", "parameters.width: 5.5 is not a whole number"),
        ("width = { value = 6", "width = { value = 7", "parameters.width: 7 is not from its low to its high"),
        ("width = { value = 6,", 'width = { value = "six",', "Expected `float`, got `str` - at `$.parameters[...]"),
        ('arch = "x86_64"', 'arch = "vax"', "arch: unknown arch 'vax'"),
        ("calibrated = false", "calibrated = true", "machine: a calibrated file has it"),
        ("\nsystem = [", "\nsystems = [", "unknown.system: missing"),
        (ADDITION, '"add r64,r64" = [1, 1, "fx"]', "'fx' is not MASKxCYCLES/MASKxCYCLES"),
        (ADDITION, '"add r64,r64" = [1, 1, "ffffffx1"]', "there are 16 ports"),
        (
            "ghz = { value = 3.6, low = 2.7, high = 3.9",
            "ghz = { value = 0, low = 0, high = 0",
            "ghz: 0 is not from 0.1 to 20 GHz",
        ),
        (
            "ghz = { value = 3.6, low = 2.7, high = 3.9",
            "ghz = { value = 3600, low = 3600, high = 3600",
            "ghz: 3600 is not from 0.1 to 20 GHz",
        ),
        (
            "mov_cr3 = { value = 150, low = 80",
            "mov_cr33 = { value = 150, low = 80",
            "system.mov_cr33: unknown; did you",
        ),
        ("mov_cr3 = { value = 150, low = 80", "mov_cr3 = { value = 150, low = -80", "system.mov_cr3: not from 0 on"),
        ("low = 80, high = 350", "low = 80, high = inf", "system.mov_cr3: not from 0 on, or without end"),
        ("level = 0.9", "level = 90", "interval.level: 90 is not between 0 and 1"),
        ("quantile = 0.6", "quantile = -0.6", "interval.quantile: -0.6 is not from 0 on"),
        ("quantile = 0.6", "quantile = nan", "interval.quantile: nan is not from 0 on"),
        (
            "[interval.causes]",
            "[interval.causes]\n[interval.weights]\nmemory = -1",
            "interval.weights.memory: -1 is not from 0 on",
        ),
        (
            "[interval.causes]",
            "[interval.causes]\n[interval.weights]\nmemroy = 1",
            "interval.weights.memroy: no cause; did you mean memory",
        ),
        ("\nsystem = [", "\nstores = [1, 1, 'fx1']\nsystem = [", "unknown.stores: unknown; did you mean store"),
        (ADDITION, '"add r64,r64" = [1, nan, "fx1"]', '"add r64,r64": negative, or without end'),
        (
            "ns = { value = 95, low = 68",
            "ns = { value = 9, low = 6",
            "lines.socket.ns: less than within a core complex",
        ),
        ("[interval]", "[distance]", "Object contains unknown field `distance`"),
        ("[parameters]", "[parameters", "Expected ']' at the end of a table"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(old: str, new: str, what: str) -> None:
    text = short_of("zen4")
    assert old in text
    with pytest.raises(BadInput) as raised:
        parse(text.replace(old, new, 1), "my.toml")
    assert raised.value.what.startswith("my.toml: ")
    assert what in raised.value.what


def test_a_file_with_one_instruction_is_whole() -> None:
    assert parse(short_of("zen4"), "my.toml").instructions == {"add r64,r64": (1, 1, "fx1")}
    assert ADDITION in text_of("zen4")


def test_parameters_are_written_for_the_core_model() -> None:
    lines = dict(line.split(" ") for line in timing_for("zen4").params_text().splitlines())
    assert lines.keys() == parameters().keys()
    assert (lines["width"], lines["l2_latency"]) == ("6", "14")


def test_ports_are_text_and_back() -> None:
    assert groups_of("-") == groups_of("") == ()
    assert spec_of(groups_of("fx1/30x2")) == "fx1/30x2"
    with pytest.raises(ValueError, match="more than 4"):
        groups_of("1x1/2x1/4x1/8x1/10x1")


def test_a_timing_file_is_a_frozen_record() -> None:
    timing: Timing = timing_for("zen4")
    with pytest.raises(AttributeError):
        timing.name = "other"  # type: ignore[misc]


def test_a_file_may_be_like_another_one_and_have_only_what_differs() -> None:
    width = '{ value = 4, low = 4, high = 4, source = "measured" }'
    override = '[[overrides]]\nforms = ["popcnt *"]\nentry = [1, 9, "1x1"]\nsource = "measured"\n'
    text = f'name = "mine"\nlike = "zen2"\nsummary = "mine"\n{override}[parameters]\nwidth = {width}\n'
    mine, zen2 = parse(text, "mine.toml"), timing_for("zen2")
    assert (mine.name, mine.parameters["width"].value, mine.instructions) == ("mine", 4, zen2.instructions)
    assert mine.overrides[0].forms == ("popcnt *",) and mine.overrides[1:] == zen2.overrides
    assert mine.parameters["rob"].value == zen2.parameters["rob"].value
    assert mine.parameters["rob"].source.startswith("assumed, as of zen2: ")
    assert mine.system["mov_cr3"].source.startswith("assumed, as of zen2: ")


def test_a_whole_file_that_is_like_another_one_takes_only_quantities_that_it_lacks() -> None:
    text = text_of("zen4").replace('arch = "x86_64"', 'like = "zen3"\narch = "x86_64"', 1)
    lines = [line for line in text.splitlines() if not line.startswith("lock_latency = ")]
    mine, zen4 = parse("\n".join(lines), "mine.toml"), timing_for("zen4")
    assert mine.parameters["lock_latency"].value == timing_for("zen3").parameters["lock_latency"].value
    assert replace(mine, parameters=zen4.parameters) == zen4


@pytest.mark.parametrize(
    ("own", "what"),
    [
        ("", "mine.toml: Object missing required field `name`"),
        ('name = "mine"\narch = "arm64"\n', "mine.toml: like: zen2 is a CPU of x86_64, not of arm64"),
        ('name = "mine"\nparameters = 5\n', "Expected `object`, got `int` - at `$.parameters`"),
    ],
)
def test_a_file_like_another_one_has_a_name_and_its_architecture(own: str, what: str) -> None:
    with pytest.raises(BadInput) as raised:
        parse(f'like = "zen2"\n{own}', "mine.toml")
    assert what in raised.value.what


@pytest.mark.parametrize(
    ("other", "what"),
    [(None, "No such file"), (b'name = "\xff"', "not UTF-8"), (b'name = "other"', "other.toml has no parameters")],
)
def test_a_file_like_a_wrong_one_is_refused(tmp_path: Path, other: bytes | None, what: str) -> None:
    path = tmp_path / "other.toml"
    if other is not None:
        path.write_bytes(other)
    with pytest.raises(BadInput, match=what):
        parse(f'like = "{path}"\nname = "mine"\n', "mine.toml")


def test_every_override_is_checked_also_where_the_other_cpu_has_one_of_the_same_forms() -> None:
    forms = list(timing_for("zen2").overrides[0].forms)
    override = f'[[overrides]]\nforms = {forms}\nentry = [1, nan, ""]\nsource = "measured"\n'
    with pytest.raises(BadInput, match="negative, or without end"):
        parse(f'like = "zen2"\nname = "mine"\n{override}', "mine.toml")


def test_a_clock_of_another_cpu_is_assumed() -> None:
    assert parse('like = "zen2"\nname = "mine"\n', "mine.toml").ghz.status == ASSUMED


def test_a_cpu_whose_file_has_another_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kassay" / "calibrations"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (folder / "server_old.toml").write_text('name = "host"\nlike = "zen2"\n')
    with pytest.raises(BadInput, match=r"server_old\.toml: name: 'host', but the file is called server_old"):
        timing_for("server-old")


def test_files_that_are_like_each_other_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kassay" / "calibrations"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name, other in (("one", "two"), ("two", "one")):
        (folder / f"{name}.toml").write_text(f'name = "{name}"\nlike = "{other}"\n')
    with pytest.raises(BadInput, match="is like this file"):
        timing_for("one")


CPUS = {
    "zen1": {"core complex": 4, "socket": 32, "machine": 64}, "skylake": {"socket": 4},
    "skylake_sp": {"socket": 28, "machine": 224}, "cascadelake_sp": {"socket": 28, "machine": 224},
    "sapphirerapids": {"socket": 56, "machine": 112},
    "emeraldrapids": {"socket": 64, "machine": 128}, "graniterapids": {"socket": 128, "machine": 256},
    "zen4": {"core complex": 8, "socket": 96, "machine": 192},
    "zen5": {"core complex": 8, "socket": 128, "machine": 256},
}  # fmt: skip
"""CPUs of the product that a file names."""


@pytest.mark.parametrize("name", CPUS)
def test_a_shipped_file_has_the_number_of_cpus_of_its_own_product(name: str) -> None:
    lines = timing_for(name).lines
    assert {level.within: level.cpus for level in lines} == CPUS[name]
    assert not [level.cpus_source for level in lines if "as of" in level.cpus_source]


def test_lines_of_a_relative_are_assumed() -> None:
    mine = parse('name = "mine"\nlike = "zen3"\nsummary = "mine"\n[parameters]\n', "mine.toml")
    for level, known in zip(mine.lines, timing_for("zen3").lines, strict=True):
        assert (level.within, level.cpus, level.ns.value) == (known.within, known.cpus, known.ns.value)
        assert (level.ns.status, level.ns.source) == (ASSUMED, f"assumed, as of zen3: {known.ns.source}")
        assert level.cpus_source == f"assumed, as of zen3: {known.cpus_source}"


OF_THE_MACHINE = {
    "parameters.l3_lifetime": "other guests use the third level of zen4_kvm",
    "parameters.walk_start": "a page walk of a guest goes through the hypervisor's tables, too",
    "system.cpuid": "the hypervisor traps it",
    "parameters.decoders": "zen4_kvm.toml is older than this parameter, and is read as if it did not exist",
}
"""Quantities that differ between two machines with the same core."""


def test_files_of_one_core_agree_within_their_bounds() -> None:
    published, measured = dict(quantities(timing_for("zen4"))), dict(quantities(timing_for("zen4_kvm")))
    apart = {
        key for key in published.keys() & measured.keys()
        if published[key].high < measured[key].low or measured[key].high < published[key].low
    }  # fmt: skip
    assert apart == OF_THE_MACHINE.keys()
