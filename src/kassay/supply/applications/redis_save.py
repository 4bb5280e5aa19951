# SPDX-License-Identifier: GPL-2.0-only
"""redis takes values while a child of it saves them."""

from kassay.model.application import Application

_VALUES, _SETS = 20_000, 4_000
_FILL = "for i = 0, ARGV[1] - 1 do redis.call('set', string.format('key:%012d', i), string.rep('x', 512)) end"
_JOB = f"""#!/bin/sh -e
redis-cli config set hz 500 > /dev/null
redis-cli bgsave > /dev/null
redis-benchmark -q -c 4 -n {_SETS} -r {_VALUES} -d 512 --seed 16 -t set > /dev/null
while redis-cli info persistence | grep -q rdb_bgsave_in_progress:1; do sleep 0.01; done
redis-cli info persistence | grep -q rdb_last_bgsave_status:ok
redis-cli config set hz 1 > /dev/null
echo saved=1
"""

APPLICATION = Application(
    name="redis_save",
    summary=f"redis saves {_VALUES} values of 512 bytes by a child (BGSAVE) while four clients write {_SETS} times",
    uses="fork of a process with a heap of 20 MiB; its pages are copied as clients write; jemalloc; loopback",
    packages=("redis-server", "redis-tools", "dash", "coreutils", "grep"),
    server=(
        *("/usr/bin/redis-server", "--save", "", "--appendonly", "no", "--dir", "/data"),
        *("--hz", "1", "--loglevel", "warning"),
    ),
    ready="port:6379",
    command=("/data/job",),
    between=(("/usr/bin/redis-cli", "eval", _FILL, "0", str(_VALUES)),),
    environment=("PATH=/usr/bin:/bin",),
    operations=str(_SETS),
    operation="set",
    require=("saved==1",),
    inputs=lambda: {"job": _JOB.encode()},
)
