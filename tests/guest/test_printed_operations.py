# SPDX-License-Identifier: GPL-2.0-only
"""Counts and rates of operations that kassay recognises in what a program prints."""

import pytest

from kassay.model.work import PrintedOperations
from kassay.supply.guest.printed_operations import operations_of

BENCHMARK = '{"context": {"num_cpus": 1}, "benchmarks": [{"name": "BM_a", "iterations": 5000, "real_time": 3.5}%s]}'

TABLE = """-----------------------------------------------------
Benchmark           Time             CPU   Iterations
-----------------------------------------------------
BM_touch/8       14.2 ns         14.1 ns     49174538
%s"""


def test_the_number_of_each_execution_is_read() -> None:
    assert operations_of(["ops 5\n", "ops 4\n"]) == PrintedOperations(name="ops", rate=False, values=(5.0, 4.0))
    assert operations_of(["ops 5\n", "nothing\n"]) is None
    assert operations_of(["ops 5\n", "iterations 5\n"]) is None
    assert operations_of([]) is None


@pytest.mark.parametrize(
    ("text", "name", "rate", "value"),
    [
        ("of 3-5: 12 operations, 1,234 pages", "operations", False, 12),
        ("total_ops=17 elapsed=0.2", "total_ops", False, 17), ("Iterations: 200", "Iterations", False, 200),
        ("did 12 operations in 0.004 s", "operations", False, 12),
        ("ops=5 12 pages", "ops", False, 5),
        ("run 3, 2000 operations", "operations", False, 2000), ("3\n2000 operations", "operations", False, 2000),
        ("17 ops in 0.2 s (85.0 ops/s)", "ops", False, 17),
        ("812.5 ops/s", "ops/s", True, 812.5), ("Throughput: 4012.25 ops/sec", "ops/sec", True, 4012.25),
        ("result 99.5 iterations per second", "iterations per second", True, 99.5),
        ("ops_per_sec=812", "ops_per_sec", True, 812),
        ('{"bench": {"ops": 42}}', "bench.ops", False, 42), (BENCHMARK % "", "iterations", False, 5000),
        (TABLE % "", "iterations", False, 49174538),
    ],
)  # fmt: skip
def test_counts_and_rates_are_recognised(text: str, name: str, rate: bool, value: float) -> None:
    assert operations_of([text]) == PrintedOperations(name=name, rate=rate, values=(value,))


@pytest.mark.parametrize(
    "text",
    ["", "rounds 64", "ops 0", "ops -3", "ops 5.5", "drops 5", "5 pages", "ops 5\niterations 6", "ns_per_op 25",
     "latency 5 ns/op", "operations=1,234,567", "did 1,234,567 operations", "1'234 ops", "12_345 operations",
     "-5 operations", "1 234 operations", "1\u202f234 operations", "1,234.5 ops/s", "1.234,5 ops/s", "1 234.5 ops/s",
     "operations=1,234 loops=5", "1,234 operations of 5 loops",
     "2 000 operations in 5 iterations", "2 000 000 operations\n5 loops", "2\u00a0000 operations in 5 loops",
     "1 234.5 ops/s\n5 loops/s", "run 3 2000 operations", "run 3 2000 operations in 5 loops",
     "operations=2 000 000", "ops:2 000", "ops_per_sec=2 000.5",
     "1.5 2000 operations in 5 loops", "1.234 operations of 5 loops", "1.234,5 ops/s, 5 loops/s",
     BENCHMARK % ', {"name": "BM_b", "iterations": 7}', TABLE % "BM_b  1 us  1 us  7 items=2",
     '{"context": {}, "benchmarks": []}'],
)  # fmt: skip
def test_other_output_names_no_count(text: str) -> None:
    assert operations_of([text]) is None
