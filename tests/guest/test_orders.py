# SPDX-License-Identifier: GPL-2.0-only
"""Folios are counted by their order where they are mapped whole and in order; a file stands for /proc/kpageflags."""

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay.supply.guest import sources

PLAIN, HEAD, TAIL = 0, 1 << 15, 1 << 16
MAIN = r"""
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "orders.h"

/* counts FLAGS FRAME...: the frames that a range maps, in its order; - is a page that is not there */
int main(int argc, char **argv)
{
	struct orders orders = { .flags_fd = open(argv[1], O_RDONLY) };
	uint64_t flags;

	for (int i = 2; i < argc; i++) {
		uint64_t frame = strtoull(argv[i], NULL, 10);

		if (*argv[i] == '-') {
			orders_gap(&orders);
			continue;
		}
		if (pread(orders.flags_fd, &flags, 8, (off_t)(frame * 8)) != 8)
			return 1;
		orders_page(&orders, frame, flags);
	}
	orders_gap(&orders);
	printf("partial=%" PRIu64, orders.partial);
	for (int i = 0; i < MAX_ORDERS; i++) {
		if (orders.pages[i])
			printf(" %d=%" PRIu64, i, orders.pages[i]);
	}
	return 0;
}
"""


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("orders")
    (place / "main.c").write_text(MAIN)
    guest = sources.directory()
    files = (place / "main.c", guest / "orders.c", guest / "emit.c", guest / "number.c")
    subprocess.run(("gcc", "-std=gnu11", "-I", guest, "-o", place / "counts", *files), check=True)
    return place / "counts"


@pytest.mark.parametrize(
    ("flags", "frames", "expected"),
    [
        ((PLAIN, PLAIN), "1 0", "partial=0 0=2"),
        ((HEAD, TAIL, TAIL, TAIL, HEAD, TAIL), "0 1 2 3 4 5", "partial=0 1=2 2=4"),
        ((HEAD, TAIL, TAIL, TAIL), "0 1", "partial=2"),  # half of it is mapped
        ((HEAD, TAIL, TAIL, TAIL), "2 3", "partial=2"),  # the other half
        ((HEAD, TAIL, TAIL, TAIL), "1 0 2 3", "partial=4"),  # all of it, in another order
        ((HEAD, TAIL, PLAIN), "0 - 1", "partial=2"),  # a hole between its pages
        ((HEAD, TAIL, PLAIN, HEAD), "2 0 1 3", "partial=0 0=2 1=2"),
    ],
)
def test_pages_count_for_the_order_of_a_folio_that_is_mapped_whole(
    counts: Path, tmp_path: Path, flags: Sequence[int], frames: str, expected: str
) -> None:
    (tmp_path / "flags").write_bytes(struct.pack(f"<{len(flags)}Q", *flags))
    ran = subprocess.run((counts, tmp_path / "flags", *frames.split()), capture_output=True, text=True, check=True)
    assert ran.stdout == expected
