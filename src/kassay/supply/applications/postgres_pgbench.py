# SPDX-License-Identifier: GPL-2.0-only
"""postgres answers pgbench over its socket."""

from kassay.model.application import Application

_TRANSACTIONS = 400
_BIN = "/usr/lib/postgresql/17/bin"
_OPTIONS = "-k /data -c listen_addresses= -c fsync=off -c autovacuum=off -c jit=off -c bgwriter_delay=10s"
_SETUP = f"""#!/bin/sh -e
PATH={_BIN}:$PATH
initdb -D data -U kassay -A trust --no-locale -E UTF8 --no-sync > /dev/null
pg_ctl -D data -l log -w -o '{_OPTIONS}' start > /dev/null
pgbench -h /data -U kassay -i -q postgres
pg_ctl -D data -w -m fast stop > /dev/null
"""

APPLICATION = Application(
    name="postgres_pgbench",
    summary=f"pgbench: {_TRANSACTIONS} transactions of two clients, answered by postgres over a socket",
    uses="128 MiB of shared memory that all processes map; a process by fork for each client; files",
    packages=("postgresql-17", "dash", "coreutils"),
    without=("libllvm*", "libz3-4", "libperl*", "perl-modules-*",),
    setup=(("/data/make_cluster",),),
    server=(f"{_BIN}/postgres", "-D", "data", *_OPTIONS.split()),
    ready="ready to accept connections",
    command=(f"{_BIN}/pgbench", "-h", "/data", "-U", "kassay", "-n", "-c", "2", "-t", str(_TRANSACTIONS // 2),
             "--random-seed=16", "postgres"),
    environment=("PATH=/usr/bin:/bin", "PGTZ=UTC", "TZ=UTC"),
    user=1000,
    operations=str(_TRANSACTIONS),
    operation="transaction",
    memory="2GiB",
    inputs=lambda: {"make_cluster": _SETUP.encode()},
)  # fmt: skip
