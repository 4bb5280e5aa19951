# SPDX-License-Identifier: GPL-2.0-only
"""node starts and runs a script that its compiler takes up."""

from kassay.model.application import Application

_JOB = """\
'use strict';
const crypto = require('crypto');
const http = require('http');
const rows = [];
let seed = 16;
function next(limit) {
	seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
	return seed % limit;
}
for (let i = 0; i < 20000; i++)
	rows.push({ id: i, group: 'group' + next(97), value: next(10000), tags: ['a' + next(9), 'b' + next(9)] });
const sums = new Map();
for (const row of JSON.parse(JSON.stringify(rows)).filter((row) => row.value % 3)) {
	const sum = sums.get(row.group) || { count: 0, value: 0 };
	sums.set(row.group, { count: sum.count + 1, value: sum.value + row.value });
}
const lines = [...sums].sort().map(([name, sum]) => `${name} ${sum.count} ${(sum.value / sum.count).toFixed(3)}`);
const text = lines.join('\\n');
console.log(`groups=${sums.size} sha=${crypto.createHash('sha256').update(text).digest('hex').slice(0, 16)}`);
"""

APPLICATION = Application(
    name="node_job",
    summary="node starts, groups 20 000 rows through JSON and a Map, and ends",
    uses="a code cache whose protection changes with each piece of compiled code; garbage collection",
    packages=("nodejs",),
    command=("/usr/bin/node", "--single-threaded", "--random-seed=16", "--hash-seed=16", "job.js"),
    environment=("PATH=/usr/bin",),
    operation="job",
    require=("groups==97",),
    disclosed="node runs with --single-threaded: with threads that compile and collect beside the job, the job's own "
    "instructions depend on when these run (9 % between 6.12 and 7.3)",
    inputs=lambda: {"job.js": _JOB.encode()},
)
