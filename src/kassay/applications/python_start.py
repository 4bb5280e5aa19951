# SPDX-License-Identifier: GPL-2.0-only
"""Python starts, imports what a tool imports, and ends."""

from kassay.model.application import Application

_MODULES = "argparse, asyncio, decimal, http.client, json, logging, sqlite3, subprocess, xml.etree.ElementTree"

APPLICATION = Application(
    name="python_start",
    summary=f"python3 starts, imports {_MODULES}, and ends",
    uses="many small files from the page cache, an arena of 1 MiB by mmap for each million bytes of objects",
    packages=("python3",),
    command=("/usr/bin/python3", "-c", f"import {_MODULES}; print('done=1')"),
    environment=("PATH=/usr/bin", "PYTHONHASHSEED=0"),
    operation="start",
    require=("done==1",),
)
