# SPDX-License-Identifier: GPL-2.0-only
"""zstd compresses a file of the page cache and reads it back."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import text

APPLICATION = Application(
    name="zstd_compress",
    summary="zstd -3 of a text of 2 MiB, to a file",
    uses="reads of the page cache, tables of MiBs from one mmap each; a thread that compresses, another that writes",
    packages=("zstd",),
    command=("/usr/bin/zstd", "-q", "-f", "-3", "text", "-o", "text.zst"),
    checks=(("/usr/bin/zstd", "-q", "-t", "text.zst"),),
    operation="file",
    inputs=lambda: {"text": text(16, 30_000)},
)
