# SPDX-License-Identifier: GPL-2.0-only
"""A command whose program is not there is refused before a boot."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.progress import silent
from kassay.supply.images.programs import check_programs
from kassay.supply.images.tree import image
from tests.images.debs import Part, deb

PARTS = (
    Part("./usr/bin/tool-2", b"\x7fELF", 0o755),
    Part("./usr/lib/tool/runner", target="../../bin/tool-2"),
    Part("./usr/bin/script", b"#!/bin/other -x\necho\n", 0o755),
    Part("./usr/bin/good", b"#! /bin/tool-2\n", 0o755),
    Part("./usr/bin/data", b"x"),
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("archive")
    package, file = deb(folder, "tool", PARTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield image([package], (("/etc/alternatives/tool", "/usr/bin/tool-2"),), "x86_64", lambda: [file], silent)[1]


@pytest.mark.parametrize("program", ["/usr/bin/tool-2", "/bin/tool-2", "/lib/tool/runner", "/etc/alternatives/tool",
                                     "/usr/bin/good"])  # fmt: skip
def test_a_program_is_found_through_links(archive: Path, program: str) -> None:
    check_programs("x", archive, [program])


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("/usr/bin/tool", "not in the image of its packages\n  there is /etc/alternatives/tool, /usr/bin/tool-2"),
        ("/usr/bin/runner", "there is /usr/lib/tool/runner: name it, or give a link to it"),
        ("/usr/bin/zzz", "add the package that has it"),
        ("/usr/bin/data", "is no program in the image"),
        ("/usr/bin", "is no program in the image"),
        ("/usr/bin/script", "is a script for /bin/other, which its image lacks"),
    ],
)
def test_what_is_no_program_is_refused_with_what_is_near(archive: Path, program: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_programs("x", archive, ["/usr/bin/tool-2", program])
    assert says in str(caught.value)
