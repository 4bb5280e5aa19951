# SPDX-License-Identifier: GPL-2.0-only
"""Python starts, imports what a tool imports, and ends."""

from kassay.model.application import Application

_MODULES = "argparse, asyncio, decimal, http.client, json, logging, sqlite3, subprocess, xml.etree.ElementTree"

_COMMAND = ("/usr/bin/python3", "-c", f"import {_MODULES}; print('done=1')")

APPLICATION = Application(
    name="python_start",
    summary=f"python3 starts, imports {_MODULES}, and ends",
    uses="many small files of the page cache; arenas of 1 MiB, each by an mmap",
    packages=("python3",),
    setup=(_COMMAND,),  # compiles what is imported, once
    command=_COMMAND,
    environment=("PATH=/usr/bin", "PYTHONHASHSEED=0"),
    operation="start",
    require=("done==1",),
)
