# SPDX-License-Identifier: GPL-2.0-only
"""Whatever bytes come, an importer reads them or refuses them; nothing else may ever leave it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.tools.imports.importer import Given
from kassay.tools.imports.read import importers
from tests.imports.files import DATA, LKP, MAIL

pytestmark = pytest.mark.slow  # seconds for the whole file

MATRIX = next(LKP.glob("result/*/*/*/*/*/*/9f*/0/will-it-scale.json"))
REAL = {
    "framework_csv": DATA / "framework.raw.csv",
    "google_benchmark": DATA / "google-benchmark-a.json",
    "libmicro": DATA / "libmicro-6.12.txt",
    "lkp_mail": MAIL,
    "lkp_result": MATRIX,
    "plain_csv": DATA / "plain.csv",
    "pyperf": DATA / "pyperf-a.json",
    "will_it_scale": DATA / "page_fault2_processes-a.txt",
}
NEVER = ("framework_csv", "lkp_mail", "plain_csv")  # formats that name kernels themselves
HEADS = (b'{"benchmarks":[', b'{"context":{},"benchmarks":[', b"kernel,metric,value\n", b"testcase:x\nwarmup\n",
         b"tasks,processes,processes_idle,threads,threads_idle,linear\n", b'{"a.b":[',
         b" prc thr   usecs/call      samples   errors cnt/samp\n", b"=" * 30 + b"\na/b:\nc/d\ncommit:\n")  # fmt: skip
WORDS = st.sampled_from([b"nan", b"-1", b"1e999", b"\0", b"\xff", b"", b"null", b"[]", b"{}", b"9" * 400, b'"', b",",
                         b"\n", b"\xd9\xa1", b"true", b"0", b":", "±".encode()])  # fmt: skip
each = pytest.mark.parametrize("name", REAL)


def test_the_table_above_knows_every_format() -> None:
    assert set(REAL) == set(importers())


def survives(name: str, data: bytes) -> None:
    kernel = None if name in NEVER else "a"
    file = Given(location="f", name="f_processes.txt", path=Path("/r/f"), raw=data, data=data, kernel=kernel)
    importer = importers()[name]
    importer.recognise(file)
    try:
        importer.read((file,))
    except BadInput as refusal:
        assert str(refusal).startswith("f") and refusal.remedy
        assert len(str(refusal).splitlines()) <= 3


@each
@settings(max_examples=40)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(name: str, data: bytes) -> None:
    survives(name, data)


@each
@settings(max_examples=40)
@given(head=st.sampled_from(HEADS), tail=st.text(max_size=120))
def test_the_right_beginning_and_anything_after_it_is_read_or_refused(name: str, head: bytes, tail: str) -> None:
    survives(name, head + tail.encode("utf-8", "surrogatepass"))


@each
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_real_file_cut_or_changed_anywhere_is_read_or_refused(name: str, data: st.DataObject) -> None:
    real = REAL[name].read_bytes()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(real)))
        gone = data.draw(st.sampled_from([0, 1, 3, 20, len(real)]))
        real = real[:at] + data.draw(WORDS) + real[at + gone :]
    survives(name, real)


@pytest.mark.parametrize("name", ["google_benchmark", "lkp_result", "pyperf"])
def test_json_nested_without_end_is_refused(name: str) -> None:
    survives(name, b'{"benchmarks":' + b"[" * 100_000)


@pytest.mark.parametrize("name", ["google_benchmark", "lkp_result", "pyperf"])
@settings(max_examples=40)
@given(value=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["benchmarks", "runs", "values", "metadata", "version", "context", "name", "run_name", "unit",
                         "real_time", "cpu_time", "time_unit", "a.b", "stats_source", "last_state.is_incomplete_run"]),
        inner, max_size=4),
    max_leaves=20,
))  # fmt: skip
def test_json_of_the_wrong_shape_is_read_or_refused(name: str, value: object) -> None:
    import json

    survives(name, json.dumps(value).encode())
    survives(name, json.dumps({"version": "1.0", "context": {}, "benchmarks": value}).encode())
