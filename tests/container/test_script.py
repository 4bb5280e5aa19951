# SPDX-License-Identifier: GPL-2.0-only
"""scripts/kassay with a stand-in for podman and docker: what the engine is asked for, and what passes through."""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "kassay"

_ENGINE = """#!/bin/sh
case "$1 $2" in
--version*) echo "$STANDIN_NAME version 1" ;;
info*) echo "[$STANDIN_SECURITY]" ;;
"image inspect") [ "$3" = "${STANDIN_IMAGE:-$3}" ] && exit ${STANDIN_MISSING:-0} || exit 1 ;;
kill*) echo "$@" >"$STANDIN_SEEN.kill" ;;
run*)
	printf '%s\\n' "$@" >"$STANDIN_SEEN"
	[ -z "${STANDIN_WAITS:-}" ] || until [ -e "$STANDIN_SEEN.kill" ]; do sleep 0.05; done
	[ "$STANDIN_NAME" = docker ] || { cat <&3 >&4; echo progress >&5; }
	exit ${STANDIN_STATUS:-0} ;;
esac
"""


class Standin:
    """An engine that notes its arguments. `given` returns them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seen = folder, folder / "seen"
        (folder / "bin").mkdir()
        (folder / "work").mkdir()

    def run(self, *arguments: str, engine: str = "podman", **variables: str) -> subprocess.CompletedProcess[str]:
        with self.started(*arguments, engine=engine, **variables) as child:
            output, errors = child.communicate("in\n", timeout=30)
            return subprocess.CompletedProcess(arguments, child.returncode, output, errors)

    def started(self, *arguments: str, engine: str = "podman", **variables: str) -> subprocess.Popen[str]:
        program = self.folder / "bin" / engine
        program.write_text(_ENGINE)
        program.chmod(0o755)
        environment = {
            "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(self.folder), "STANDIN_NAME": engine,
            "STANDIN_SEEN": str(self.seen), "KASSAY_ENGINE": str(program), **variables,
        }  # fmt: skip
        work = self.folder / "work"
        return subprocess.Popen(
            ("env", "--default-signal=INT,TERM,HUP", SCRIPT, *arguments), cwd=work,
            env={**environment, "PWD": str(work)}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    @property
    def given(self) -> list[str]:
        return self.seen.read_text().splitlines()

    def mounted(self) -> list[str]:
        return [word.partition("target=")[2] for word in self.given if word.startswith("type=bind")]


@pytest.fixture
def standin(tmp_path: Path) -> Standin:
    return Standin(tmp_path)


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_arguments_reach_kassay_as_they_were_given(standin: Standin, engine: str) -> None:
    arguments = ("run", "a b", "", "*", "$HOME", '--x="y"', "c:d")
    assert standin.run(*arguments, engine=engine).returncode == 0
    image = next(index for index, word in enumerate(standin.given) if word.startswith("kassay:"))
    assert standin.given[image + 1 :] == list(arguments)


@pytest.mark.parametrize("status", [0, 1, 2, 3, 4, 5, 130])
@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_exit_status_is_that_of_the_command(standin: Standin, engine: str, status: int) -> None:
    assert standin.run("doctor", engine=engine, STANDIN_STATUS=str(status)).returncode == status


def test_image_that_podman_saved_and_docker_loaded_is_found(standin: Standin) -> None:
    name = "localhost/kassay:9"
    assert standin.run("doctor", engine="docker", KASSAY_IMAGE="kassay:9", STANDIN_IMAGE=name).returncode == 0
    assert standin.given[standin.given.index(name) + 1] == "doctor"
    assert standin.run("doctor", engine="docker", KASSAY_IMAGE="kassay:8", STANDIN_IMAGE=name).returncode == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_podman_is_spared_a_signal_that_the_container_gets_by_name(standin: Standin, number: signal.Signals) -> None:
    with standin.started("doctor", STANDIN_STATUS="130", STANDIN_WAITS="yes") as child:
        assert child.stdin is not None
        child.stdin.close()
        while not standin.seen.exists():
            time.sleep(0.05)
        os.killpg(child.pid, number)  # as a terminal does
        assert child.wait(timeout=30) == 130
    name = standin.given[standin.given.index("--name") + 1]
    signalled = Path(f"{standin.seen}.kill").read_text()
    assert signalled == f"kill --signal {number.name.removeprefix('SIG')} {name}\n"


def test_podman_hands_on_the_streams_themselves(standin: Standin) -> None:
    done = standin.run("doctor")
    assert (done.stdout, done.stderr) == ("in\n", "progress\n")
    assert "--tty" not in standin.given


def test_current_directory_cache_and_history_are_mounted(standin: Standin) -> None:
    standin.run("doctor")
    home = standin.folder
    expected = [home / "work", home / ".cache/kassay", home / ".local/share/kassay"]
    assert sorted({*standin.mounted()} - {"/etc/apt", "/tmp"}) == sorted(map(str, expected))
    assert all(path.is_dir() for path in expected)
    assert standin.given[standin.given.index("--workdir") + 1] == str(home / "work")


def test_named_directories_are_mounted_as_well(standin: Standin) -> None:
    places = [standin.folder / name for name in ("linux tree", "extensions", "cache")]
    for place in places:
        place.mkdir()
    standin.run("doctor", KASSAY_MOUNT=str(places[0]), KASSAY_PATH=str(places[1]), XDG_CACHE_HOME=str(places[2]))
    mounted = standin.mounted()
    assert {str(places[0]), str(places[1]), f"{places[2]}/kassay"} <= set(mounted)


@pytest.mark.parametrize("name", ["GITHUB_STEP_SUMMARY", "B4_TRACKING_FILE"])
def test_directory_of_a_file_that_the_runner_names_is_mounted(standin: Standin, name: str) -> None:
    (standin.folder / "runner files").mkdir()
    for place, is_mounted in (("runner files", True), ("nowhere", False)):
        directory = str(standin.folder / place)
        assert standin.run("ci", **{name: f"{directory}/summary"}).returncode == 0
        assert (directory in standin.mounted()) == is_mounted
    assert standin.run("ci", **{name: "summary"}).returncode == 0


def test_directory_that_is_named_twice_is_mounted_once(standin: Standin) -> None:
    work = standin.folder / "work"
    standin.run("doctor", KASSAY_MOUNT=f"{work}/:/tmp:{work}")
    assert len(standin.mounted()) == len({*standin.mounted()})


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_no_file_is_written_where_it_is_lost_with_the_container(standin: Standin, engine: str) -> None:
    standin.run("doctor", engine=engine)
    assert "--read-only" in standin.given and "/tmp" in standin.mounted()
    assert ("--read-only-tmpfs=false" in standin.given) == (
        engine == "podman"
    )  # it makes file systems that are lost, too


def test_an_engine_that_is_not_there_and_a_cache_by_a_relative_path_are_named(standin: Standin) -> None:
    done = standin.run("doctor", KASSAY_ENGINE="/nonexistent/podman")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "kassay: /nonexistent/podman: no such program")
    done = standin.run("doctor", XDG_CACHE_HOME="cache")
    assert (done.returncode, "XDG_CACHE_HOME" in done.stderr, "KASSAY_MOUNT" in done.stderr) == (2, True, False)
    place = str(standin.folder)
    assert standin.run("doctor", HOME="", XDG_CACHE_HOME=place, XDG_DATA_HOME=place).returncode == 0


@pytest.mark.parametrize("place", ["linux", "/nonexistent/linux", "/", "/a,b"])
def test_directory_that_cannot_be_mounted_is_refused(standin: Standin, place: str) -> None:
    done = standin.run("doctor", KASSAY_MOUNT=place)
    assert done.returncode == 2
    assert done.stderr.startswith(f"kassay: {place}: ")
    assert not standin.seen.exists()


def test_missing_image_names_the_command_that_builds_it(standin: Standin) -> None:
    done = standin.run("doctor", STANDIN_MISSING="1")
    assert done.returncode == 3
    assert "scripts/container" in done.stderr


def test_docker_runs_as_the_user_unless_it_is_rootless(standin: Standin) -> None:
    own = f"{os.getuid()}:{os.getgid()}"
    standin.run("doctor", engine="docker")
    assert standin.given[standin.given.index("--user") + 1] == own
    standin.run("doctor", engine="docker", STANDIN_SECURITY="name=rootless")
    assert "--user" not in standin.given


def test_scripts_are_called_from_anywhere_by_a_link(standin: Standin, tmp_path: Path) -> None:
    link = tmp_path / "bin" / "kassay-link"
    link.symlink_to(SCRIPT)
    code = f"cd {shlex.quote(str(tmp_path / 'work'))} && exec {shlex.quote(str(link))} --version"
    standin.run("doctor")  # writes the stand-in
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "STANDIN_NAME": "docker", "STANDIN_SEEN": str(standin.seen),
        "KASSAY_ENGINE": str(tmp_path / "bin" / "podman"),
    }  # fmt: skip
    assert subprocess.run(("sh", "-c", code), env=environment, timeout=30).returncode == 0
    assert standin.given[-1] == "--version"


def test_program_of_the_image_can_be_imported_by_workers() -> None:
    line = next(line for line in SCRIPT.with_name("container").read_text().splitlines() if "from kassay.cli" in line)
    written = shlex.split(line.partition(">")[0])[1].replace("\\n", "\n")
    exec(compile(written, "kassay", "exec"), {"__name__": "__mp_main__"})
