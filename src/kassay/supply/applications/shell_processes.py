# SPDX-License-Identifier: GPL-2.0-only
"""A shell script of short processes."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import text

_PROCESSES = 200
_SCRIPT = f"""#!/bin/sh
i=0
while [ $i -lt {_PROCESSES // 4} ]; do
	line=$(head -n $((i + 1)) text | tail -n 1 | tr a-z A-Z | cut -d ' ' -f 2)
	i=$((i + 1))
done
echo "turns=$i last=$line"
"""

APPLICATION = Application(
    name="shell_processes",
    summary=f"a shell script that starts {_PROCESSES} short programs in pipes of four",
    uses="fork, execve, page faults of the C library's start, exit: little else",
    packages=("dash", "coreutils"),
    command=("/data/job",),
    environment=("PATH=/usr/bin:/bin",),
    operations=str(_PROCESSES),
    operation="process",
    require=(f"turns=={_PROCESSES // 4}",),
    inputs=lambda: {"job": _SCRIPT.encode(), "text": text(16, 200)},
)
