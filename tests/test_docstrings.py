# SPDX-License-Identifier: GPL-2.0-only
"""Docstrings name their subject first, and fields are described beside them.

Not in contract/: `make check` runs that half of the tests in another process than those that parse all of the source.
"""

import ast
import re

from tests.prose import NO_SUBJECT, docstrings
from tests.source import FILES, ROOT, nodes

_SUSPECT = re.compile(r"""(?m)^\s*r?["']+\\?\s*(Of|Those|Also|Whether|What|Whose|Within)\b""")
"""Beginning of a line that may be such a docstring. Only files with one are parsed."""


def test_docstrings_open_with_their_subject() -> None:
    paths = [path for root in ("src", "tests", "benchmarks") for path in sorted((ROOT / root).rglob("*.py"))]
    problems = [
        f'{path.relative_to(ROOT)}:{found.line}: "{found.text.splitlines()[0]}" opens with "{bad[1]}"; '
        "begin with an imperative, or with the noun that is described"
        for path in paths if _SUSPECT.search(path.read_text("utf-8"))
        for found in docstrings(path) if (bad := NO_SUBJECT.match(found.text))
    ]  # fmt: skip
    assert not problems, "\n".join(problems)


def test_a_field_of_a_record_is_described_beside_it() -> None:
    problems = []
    for path in FILES:
        for node in nodes(path, ast.ClassDef):
            text = ast.get_docstring(node) or ""
            fields = [each.target.id for each in node.body
                      if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]  # fmt: skip
            listed = re.findall(rf"(?:^|[.;,]\s)({'|'.join(map(re.escape, fields))}):\s", text) if fields else []
            problems += [f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}.{name}" for name in listed]
    assert not problems, "\n".join(problems)
