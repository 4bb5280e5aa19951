# SPDX-License-Identifier: GPL-2.0-only
"""A data job in Python with numpy."""

from kassay.model.application import Application

_JOB = """\
import numpy

chance = numpy.random.default_rng(16)
table = chance.random((50_000, 8))
groups = chance.integers(0, 500, len(table))
scaled = (table - table.mean(axis=0)) / table.std(axis=0)
order = numpy.argsort(scaled[:, 0])
sums = numpy.zeros((500, 8))
numpy.add.at(sums, groups, scaled)
kept = scaled[order][scaled[order, 1] > 0]
product = kept.T @ kept
print(f"rows={len(kept)} groups={len(sums)}")
"""

APPLICATION = Application(
    name="numpy_job",
    summary="a table of 50 000 rows with numpy: scaled, sorted, grouped, selected, multiplied",
    uses="arrays of 3 MiB, each by an mmap and a munmap of its own, madvise(MADV_HUGEPAGE) on each, written once",
    packages=("python3-numpy",),
    setup=(("/usr/bin/python3", "job.py"),),  # compiles what is imported, once
    command=("/usr/bin/python3", "job.py"),
    environment=("PATH=/usr/bin", "PYTHONHASHSEED=0", "LD_LIBRARY_PATH=/usr/$LIB/blas:/usr/$LIB/lapack"),
    operation="job",
    require=("groups==500",),
    inputs=lambda: {"job.py": _JOB.encode()},
)
