# SPDX-License-Identifier: GPL-2.0-only
"""A Java virtual machine starts and runs a job in an interpreter that is written in Java."""

from kassay.model.application import Application

_ROWS = 1000
_JOB = f"""\
function Row(id, group, value) {{ this.id = id; this.group = group; this.value = value; }}
var seed = 16, rows = [], sums = {{}};
function next(limit) {{ seed = (seed * 69069 + 1) % 1048576; return seed % limit; }}
for (var i = 0; i < {_ROWS}; i++)
	rows.push(new Row(i, 'group' + next(97), next(10000)));
rows.sort(function (a, b) {{ return a.value - b.value || a.id - b.id; }});
for (i = 0; i < rows.length; i++) {{
	var row = JSON.parse(JSON.stringify(rows[i]));
	sums[row.group] = (sums[row.group] || 0) + row.value;
}}
print('groups=' + Object.keys(sums).length);
"""

APPLICATION = Application(
    name="jvm_job",
    summary=f"a JVM starts, and Rhino in it groups {_ROWS} rows",
    uses="a heap reserved as one PROT_NONE mapping and committed step by step; a code cache; threads that compile",
    packages=("default-jre-headless", "librhino-java"),
    command=("/usr/lib/jvm/default-java/bin/java", "-Xbatch", "-cp", "/usr/share/java/js.jar",
             "org.mozilla.javascript.tools.shell.Main", "job.js"),
    environment=("PATH=/usr/bin",),
    operation="job",
    require=("groups==97",),
    disclosed="the JVM runs with -Xbatch: it waits for each method that is compiled, so that the instructions "
    "of the job do not depend on when the compiler's threads run",
    memory="2GiB",
    inputs=lambda: {"job.js": _JOB.encode()},
)  # fmt: skip
