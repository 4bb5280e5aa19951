# SPDX-License-Identifier: GPL-2.0-only
"""Records: any thread may read a type that nobody has read before, and msgspec reads types in one module alone."""

import ast
import subprocess
import sys

from tests.source import FILES, SOURCE, nodes

# Without a lock 18 of 20 such processes end by SIGSEGV.
_THREADS = """
import sys, threading
import msgspec
from kassay.model.records import from_json, from_msgpack, from_plain
from kassay.model.report import Report

sys.setswitchinterval(1e-6)
start, refused = threading.Barrier(8), []

def read(reader, value):
    start.wait()
    try:
        reader(value, Report)
    except msgspec.ValidationError as error:
        refused.append(str(error))

values = (from_json, b'{"schema": 1}'), (from_msgpack, b"\\x81\\xa6schema\\x01"), (from_plain, {"schema": 1})
threads = [threading.Thread(target=read, args=values[number % 3]) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*sorted(set(refused)), len(refused))
"""


def test_threads_that_read_a_type_for_the_first_time_all_read_it() -> None:
    for _ in range(2):
        ended = subprocess.run(
            (sys.executable, "-c", _THREADS), capture_output=True, text=True, timeout=60, check=False
        )
        assert ended.returncode == 0, ended
        assert ended.stdout == "Expected `str`, got `int` - at `$.schema` 8\n"


def test_no_other_module_has_msgspec_read_a_type() -> None:
    wrong = []
    for path in FILES:
        for node in nodes(path, ast.Call) if "msgspec" in path.read_text() else ():
            called = ast.unparse(node.func)
            typed = any(word.arg == "type" for word in node.keywords)
            if called.startswith("msgspec.") and (called.endswith(("convert", "Decoder")) or typed):
                wrong += [path.relative_to(SOURCE).as_posix()]
    assert set(wrong) == {"model/records.py"}
