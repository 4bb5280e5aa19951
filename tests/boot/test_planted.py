# SPDX-License-Identifier: GPL-2.0-only
"""Instructions planted in one function of a real kernel are found there, exactly, and nowhere else."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks._plant import ENDBR64, MOST, PADDING, plant
from benchmarks.planted import Compare, Stock, called, own_cache, stock_kernel, trial

from tests.boot.conftest import Kassay, share_snapshots

pytestmark = pytest.mark.boot
WORKLOAD = ("mincore_scan", "--set", "size=4MiB", "--boot", "snapshot")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("planted")
    yield made
    shutil.rmtree(made)  # kernels are large, and pytest would keep those of three sessions


@pytest.fixture(scope="module")
def stock(place: Path) -> Stock:
    return stock_kernel(place)


@pytest.fixture(scope="module")
def compare(kassay: Kassay, place: Path) -> Compare:
    environment = own_cache(place)
    share_snapshots(place / "cache" / "kassay")
    made: list[str] = []

    def run(*words: str) -> dict[str, Any]:
        made.append(f"runs-{len(made)}")
        ran = kassay("compare", *words, "--out", str(place / made[-1]), env=environment)
        assert ran.status == 0, ran.err
        return ran.json()

    return run


def test_a_planted_kernel_differs_in_the_function_and_its_padding_only(stock: Stock) -> None:
    site = stock.sites["mincore_pte_range"]
    for k in (1, 10, MOST):
        made = plant(stock.vmlinux, site, k)
        assert len(made) == len(stock.vmlinux)
        start, end = site.offset - PADDING, site.offset + len(ENDBR64)
        assert made[:start] == stock.vmlinux[:start] and made[end:] == stock.vmlinux[end:]
        assert made[start:end] != stock.vmlinux[start:end]


def test_what_cannot_be_planted_is_refused(stock: Stock) -> None:
    site = stock.sites["mincore_pte_range"]
    for k in (0, MOST + 1):
        with pytest.raises(ValueError, match="do not fit"):
            plant(stock.vmlinux, site, k)
    with pytest.raises(ValueError, match="nops and an endbr64"):
        plant(plant(stock.vmlinux, site, 1), site, 1)
    with pytest.raises(ValueError, match="nops and an endbr64"):
        plant(stock.vmlinux, site._replace(offset=site.offset + 1), 1)


def test_one_and_ten_planted_instructions_are_found_where_they_are(stock: Stock, compare: Compare) -> None:
    functions = called(stock, compare, WORKLOAD)
    assert "__x64_sys_mincore" in functions
    draw = random.Random(1)
    for k in (1, 10):
        found = trial(stock, compare, WORKLOAD, draw.choice(functions), k)
        assert found.exact, json.dumps(found)
