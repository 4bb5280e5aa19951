# SPDX-License-Identifier: GPL-2.0-only
"""Four threads of perl that make and drop many objects, with glibc's malloc()."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import perl_threads

APPLICATION = Application(
    name="malloc_glibc",
    summary="perl: four threads make 24 000 rows in hashes and arrays and drop them, with glibc's malloc()",
    uses="an arena for each thread, which grows in one PROT_NONE reservation by mprotect and shrinks by madvise",
    packages=("perl",),
    command=("/usr/bin/perl", "job.pl"),
    environment=("PERL_HASH_SEED=0", "PERL_PERTURB_KEYS=0"),
    operation="job",
    require=("sum==9519139",),
    inputs=lambda: {"job.pl": perl_threads()},
)
