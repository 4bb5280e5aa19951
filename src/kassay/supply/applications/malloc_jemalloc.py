# SPDX-License-Identifier: GPL-2.0-only
"""Four threads of perl that make and drop many objects, with jemalloc."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import perl_threads

APPLICATION = Application(
    name="malloc_jemalloc",
    summary="perl: four threads make 24 000 rows in hashes and arrays and drop them, with jemalloc",
    uses="extents of 2 MiB and more by mmap, given back by madvise after a time",
    packages=("perl", "libjemalloc2"),
    command=("/usr/bin/perl", "job.pl"),
    environment=("PERL_HASH_SEED=0", "PERL_PERTURB_KEYS=0", "LD_PRELOAD=libjemalloc.so.2"),
    operation="job",
    require=("sum==9519139",),
    inputs=lambda: {"job.pl": perl_threads()},
)
