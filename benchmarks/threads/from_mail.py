# SPDX-License-Identifier: GPL-2.0-only
"""Take the diff that a maintainer posted out of the text of a mail thread, and put it beside its neighbour.

usage: python -m benchmarks.threads.from_mail THREAD.txt

The directory kassay-out/threads/small-folios-patches then holds the patches of the run `maintainer`: the series' own
move of softleaf entries, and the diff that was posted in the thread on small folios. Archives of mail show tabs as
spaces. They are made tabs again.
"""

import re
import sys
from pathlib import Path
from shutil import copy

from benchmarks.threads.questions import RUNS

_POSTED = "c0571445bef7"
"""Hash of mm/mprotect.c before the diff, as its line "index" has it."""
_SOFTLEAF = Path("examples/mprotect-softleaf.patch")
_INDENT = re.compile(r"([-+ ])( +)")


def diff_of(text: str, index: str) -> str:
    """The diff whose first file had this hash, up to the signature. Raises ValueError if there is none."""
    start = re.search(rf"^diff --git [^\n]*\nindex {re.escape(index)}", text, re.M)
    if start is None:
        raise ValueError(f"no diff with 'index {index}'")
    body = text[start.start() :].partition("\n-- \n")[0]
    return "".join(f"{_with_tabs(line)}\n" for line in body.splitlines())


def _with_tabs(line: str) -> str:
    """The line with its indentation in tabs. The mark of the diff took the first column of the first tab."""
    match = _INDENT.match(line)
    if match is None or line.startswith(("+++", "---")):
        return line
    tabs, spaces = divmod(1 + len(match[2]), 8)
    return line if not tabs else match[1] + "\t" * tabs + " " * spaces + line[match.end() :]


def main() -> None:
    """Write both patches."""
    if len(sys.argv) != 2:
        sys.exit((__doc__ or "").split("\n\n")[1])
    patches = RUNS / "small-folios-patches"
    patches.mkdir(parents=True, exist_ok=True)
    copy(_SOFTLEAF, patches / "0001-softleaf.patch")
    (patches / "0002-posted.diff").write_text(diff_of(Path(sys.argv[1]).read_text("utf-8"), _POSTED))
    print(patches)


if __name__ == "__main__":
    main()
