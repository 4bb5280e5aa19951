# SPDX-License-Identifier: GPL-2.0-only
"""A mail has headers that tie it to a thread, lines of 72 columns, and commands that a shell joins again."""

import email
import email.policy
import re
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.model.reason import own_words
from kassay.model.units import format_change
from kassay.report.formats import format_named
from kassay.report.mail.layout import WIDTH, command, threaded, wrapped
from kassay.report.mail.text import ascii_text
from tests.report.rendering import rendered
from tests.report.reports import SAMPLES

MAIL = format_named("mail")


def _text(sample: str) -> str:
    return rendered("mail", sample)


def test_a_long_command_is_broken_where_a_shell_joins_it_again() -> None:
    words = ["kassay", "compare", *(f"--option{i}=value {i}" for i in range(12))]
    lines = command(shlex.join(words))
    assert len(lines) > 3 and all(len(line) <= WIDTH for line in lines)
    echoed = subprocess.run(["sh", "-c", "\n".join(lines).replace("kassay", "printf '%s\\n' kassay", 1)],
                            capture_output=True, check=True, text=True)  # fmt: skip
    assert echoed.stdout.splitlines() == words


def test_a_mail_joins_a_thread_and_names_its_readers() -> None:
    text = threaded(
        _text("ladder"), "20260518.1@example.org", ["A, Person <a@example.org>"], ["b@example.org", "C <c@d>"]
    )
    message = email.message_from_string(text, policy=email.policy.default)
    assert message["In-Reply-To"] == message["References"] == "<20260518.1@example.org>"
    assert [a.display_name for a in message["To"].addresses] == ["A, Person"]
    assert [a.addr_spec for a in message["Cc"].addresses] == ["b@example.org", "c@d"]
    assert not message.defects and message.get_content().startswith("Hi,\n")
    assert threaded(_text("ladder")) == _text("ladder")


@pytest.mark.parametrize(
    "address",
    ["https://lore.kernel.org/linux-mm/20260518.1@example.org/", "https://lore.kernel.org/r/20260518.1@example.org",
     "https://lore.kernel.org/all/20260518.1@example.org/T/#u", "https://lore.kernel.org/all/20260518.1@example.org/raw"],
)  # fmt: skip
def test_an_address_in_an_archive_is_as_good_as_the_message_id_in_it(address: str) -> None:
    message = email.message_from_string(threaded(_text("compare"), address), policy=email.policy.default)
    assert message["In-Reply-To"] == "<20260518.1@example.org>"


@pytest.mark.parametrize(
    "bad", ["", "a@b\nBcc: c@d", "nobody", "a@b, c@d", "X <a@b", "Ünal <a@b>", "a@b\r\n", "<a@b> x"]
)
def test_what_is_no_address_is_refused(bad: str) -> None:
    with pytest.raises(BadInput, match="--cc"):
        threaded(_text("compare"), cc=[bad])


@pytest.mark.parametrize(
    "bad", ["nobody", "http://x/y", "a/b@c", "a@b/c", "a@b\n", "<a@b>\nBcc: c@d", "<a@b> <c@d>", "a b@c"]
)
def test_what_is_no_message_id_is_refused(bad: str) -> None:
    with pytest.raises(BadInput, match="--in-reply-to"):
        threaded(_text("compare"), bad + ("" if bad.strip() == bad else "x y"))


@given(st.text(max_size=60))
def test_no_text_of_others_starts_a_header_or_a_patch(text: str) -> None:
    report = replace(
        SAMPLES["compare"](),
        disclosures=(own_words(text), own_words(f"\n\nBcc: x@y\n---\ndiff --git a b\n{text}")),
        plan_id=text,
    )
    written = MAIL.render(report)
    assert written.isascii() and list(email.message_from_string(written)) == ["Subject"]
    assert not re.search(r"(?m)^(From |---|diff -|Index: )", written)


def test_units_and_signs_have_a_form_in_ascii() -> None:
    assert ascii_text("10 µs, 10 \u03bcs, p ≤ 0.05, ≥ 2, 3 ± 1") == "10 us, 10 us, p <= 0.05, >= 2, 3 +- 1"


@given(st.text())
def test_wrapping_keeps_every_word(text: str) -> None:
    flat = ascii_text(text)
    assert re.sub(r"\s", "", "".join(wrapped(text))) == re.sub(r"\s", "", flat)
    assert all(len(line) <= WIDTH for line in wrapped(text))


def test_a_percent_sign_stays_with_its_number() -> None:
    assert all("% " not in line[:2] for line in wrapped(" ".join(format_change(i / 10) for i in range(40))))
