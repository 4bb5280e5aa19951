# SPDX-License-Identifier: GPL-2.0-only
"""Do commands and files reach a machine elsewhere as they were given? By a double of ssh; tests/boot has a real one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.ssh import ConnectionLost, Ssh, last_line
from kassay.errors import HostLacks
from kassay.model.remote_machine import parse_ssh

SSH = """#!/bin/sh
printf '%s\\n' "$*" >>{place}/calls
for word; do
	case $word in
	ControlPath=*) socket=${{word#ControlPath=}} ;;
	-M) master=yes ;;
	esac
	last=$word
done
[ ! -e {place}/cut ] || {{ echo 'ssh: connect to host h: No route to host' >&2; exit 255; }}
[ -z "${{master:-}}" ] || {{ : >"$socket"; exec sleep 1000; }}
exec sh -c "$last"
"""
SUDO = '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n'


@pytest.fixture
def link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ssh]:
    for name, text in (("ssh", SSH.format(place=tmp_path)), ("sudo", SUDO)):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "own").mkdir()
    made = Ssh(parse_ssh("ssh://me@h:2222"), tmp_path / "own")
    yield made
    made.drop()


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text().splitlines()


def test_a_script_gets_its_words_as_they_are_and_says_how_it_ended(link: Ssh, tmp_path: Path) -> None:
    words = ("it's", "", "a  b", "$HOME *", "two\nlines")
    done = link.script('for w; do printf "<%s>" "$w"; done; echo oh >&2; exit 3', words)
    assert (done.status, done.out, done.err) == (3, "<it's><><a  b><$HOME *><two\nlines>", "oh\n")
    assert " -p 2222 me@h sudo -n sh -s -- " in calls(tmp_path)[1] and "BatchMode=yes" in calls(tmp_path)[1]


def test_root_needs_no_sudo(link: Ssh, tmp_path: Path) -> None:
    root = Ssh(parse_ssh("ssh://root@h"), tmp_path / "own")
    root.script("true")
    root.drop()
    assert calls(tmp_path)[-1].endswith(" root@h sh -s --") and " -p " not in calls(tmp_path)[-1]


def test_files_go_and_come_byte_for_byte(link: Ssh, tmp_path: Path) -> None:
    data = bytes(range(256)) * 99
    to = tmp_path / "there" / "a file's name"
    link.send(data, str(to))
    assert to.read_bytes() == data and to.stat().st_mode & 0o777 == 0o600
    assert link.fetch(("cat", str(to))) == data
    link.send(to, f"{to}-2")
    assert (tmp_path / "there" / "a file's name-2").read_bytes() == data
    with pytest.raises(HostLacks, match="cannot be written"):
        link.send(b"", f"{to}/below")


def test_one_connection_serves_all_and_ends_with_drop(link: Ssh, tmp_path: Path) -> None:
    for _ in range(3):
        link.script("true")
    assert [" -M " in call for call in calls(tmp_path)] == [True, False, False, False]
    link.drop()
    assert not (tmp_path / "own" / "c").exists()
    link.script("true")
    assert sum(" -M " in call for call in calls(tmp_path)) == 2


def test_a_machine_that_does_not_answer_is_told_from_a_script_that_fails(link: Ssh, tmp_path: Path) -> None:
    assert link.script("exit 1").status == 1
    link.drop()
    (tmp_path / "cut").touch()
    for call in (lambda: link.script("true"), lambda: link.fetch(("true",)), lambda: link.send(b"", f"{tmp_path}/x")):
        with pytest.raises(ConnectionLost, match="No route to host"):
            call()
    (tmp_path / "cut").unlink()
    assert link.script("true").status == 0
    with pytest.raises(ConnectionLost, match=r"no answer within 0\.1 s"):
        link.script("sleep 9", timeout_s=0.1)


def test_without_ssh_it_says_what_to_install(link: Ssh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find", lambda program: None)
    with pytest.raises(HostLacks, match="ssh: not found") as caught:
        link.script("true")
    assert install("openssh-client") in caught.value.remedy


def test_the_last_words_of_ssh() -> None:
    assert last_line("a\r\nConnection closed\r\n\n") == "Connection closed"
    assert last_line("") == ""
