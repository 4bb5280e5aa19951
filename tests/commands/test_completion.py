# SPDX-License-Identifier: GPL-2.0-only
"""Shell completion, asked as the scripts of bash, zsh and fish ask it."""

import pytest

from tests.commands.conftest import Kassay


def asking(shell: str, *words: str) -> dict[str, str]:
    """The environment in which a shell's script asks for the last of the words, which may be empty."""
    line = " ".join(("kassay", *words))
    asked = {"_KASSAY_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    return asked | {"COMP_WORDS": line, "COMP_CWORD": str(len(words)), "_TYPER_COMPLETE_FISH_ACTION": "get-args"}


def offered(kassay: Kassay, shell: str, *words: str) -> str:
    """Text that the shell gets for completion."""
    ended = kassay(**asking(shell, *words))
    assert ended.status == 0, ended.err
    return ended.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        (("comp",), "compare", "ladder"),
        (("compare", "mpro"), "mprotect_toggle", "page_fault"),
        (("compare", "mprotect_toggle", "im"), "image", "build"),
        (("compare", "mprotect_toggle", "a", "b", "--format", "ma"), "markdown", "html"),
        (("compare", "mprotect_toggle", "a", "b", "--clock", "i"), "icount", "tcg"),
        (("compare", "mprotect_toggle", "a", "b", "--arch", "a"), "arm64", "x86_64"),
        (("compare", "mprotect_toggle", "a", "b", "--set", "sh"), "share=", "size="),
        (("compare", "mprotect_toggle", "a", "b", "--set", "share=p"), "share=private", "share=shared"),
        (("report", "--format", "k"), "kcidb", "html"),
    ],
)
def test_a_word_that_was_begun_is_completed(
    kassay: Kassay, shell: str, words: tuple[str, ...], some: str, none: str
) -> None:
    text = offered(kassay, shell, *words)
    assert some in text and none not in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_command_that_was_begun_is_explained_where_the_shell_shows_it(kassay: Kassay, shell: str) -> None:
    text = offered(kassay, shell, "lad")
    assert "ladder" in text and ("Which kernel made WORKLOAD slower?" in text) == (shell != "bash")
