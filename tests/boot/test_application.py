# SPDX-License-Identifier: GPL-2.0-only
"""Unmodified programs of the archive in real guests: counted whole, with their server, and every bad end named."""

import json
import os
import re
from pathlib import Path

import pytest
from msgspec import structs

from kassay import answers
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.profile import NO_SYMBOL
from kassay.model.progress import silent
from kassay.pipeline import measure
from kassay.spec.load import load
from tests.boot.conftest import NEW, Kassay

pytestmark = pytest.mark.boot

FILE = """
from kassay.model.application import Application
from kassay.model.workload import Parameter
APPLICATION = Application(
    name="{name}", summary="busybox", uses="little", packages=("busybox",), {words}
)
"""
BOX = "/usr/bin/busybox"
SERVED = f"""
    parameters=(Parameter(name="n", kind="count", unit="", default="3", summary="fetches", minimum=1, maximum=9),),
    setup=(("{BOX}", "cp", "data", "page"),), server=("{BOX}", "httpd", "-f", "-p", "8080"), ready="port:8080",
    between=(("{BOX}", "rm", "-f", "last"),), checks=(("{BOX}", "cmp", "last", "data"),), user=1000,
    command=("{BOX}", "sh", "-c", "exec busybox sh job $0", "{{n}}"),
    operations="{{n}}", operation="fetch", require=("fetched=={{n}}",),
    inputs=lambda: {{"data": b"x" * 20000, "job": b'''
test -e last && exit 3
i=0
while [ $i -lt $1 ]; do busybox wget -q -O last http://127.0.0.1:8080/page; i=$((i + 1)); done
echo fetched=$i
'''}},
"""
LINES = f"""
    command=("{BOX}", "sh", "job"), start_line="begin", end_line="end", operation="copy",
    inputs=lambda: {{"data": b"x" * 500000, "job": b'''
busybox cp data first; echo begin; busybox cp data second; echo end; busybox cp data third
'''}},
"""
BAD = {
    "bad_setup": (f'setup=(("{BOX}", "ls", "/dev/sda"),), command=("{BOX}", "true"),',
                  "setup: /usr/bin/busybox ended with status 1; it last printed: ls: /dev/sda: No such file"),
    "no_server": (f'server=("{BOX}", "sleep", "9999"), ready="port:1", limit_ms=300, command=("{BOX}", "true"),',
                  "server: /usr/bin/busybox is not ready (port:1) after 300 ms of guest time"),
    "no_end": (f'limit_ms=300, command=("{BOX}", "sleep", "9999"),',
               "no end within 300 ms of guest time"),
    "no_work": (f'command=("{BOX}", "true"), checks=(("{BOX}", "grep", "-q", "x", "/proc/version_signature"),),',
                "check: /usr/bin/busybox ended with status 2"),
    "no_memory": (f'command=("{BOX}", "dd", "if=/dev/zero", "of=/dev/null", "bs=210M"),',
                  "the kernel had killed busybox: out of memory; give more with --memory"),
}  # fmt: skip


def folder(root: Path, files: dict[str, str]) -> dict[str, str]:
    """Puts applications there; returns the environment in which kassay finds them."""
    (root / "applications").mkdir()
    for name, words in files.items():
        (root / "applications" / f"{name}.py").write_text(FILE.format(name=name, words=words), encoding="utf-8")
    return {**os.environ, "KASSAY_PATH": str(root)}


def test_a_server_and_its_client_are_counted_alike_to_the_digit(kassay: Kassay, tmp_path: Path) -> None:
    path = folder(tmp_path, {"served": SERVED})
    words = ("compare", "served", NEW, NEW, "--perturb", "0", "--repeats", "1", "--boot", "snapshot")
    ran = kassay(*words, "--set", "n=2", "--format", "json", "--out", str(tmp_path / "d"), env=path)
    found = next(finding for finding in ran.json()["findings"] if finding["primary"])
    assert (found["metric"], found["unit"], found["workload"]) == ("run", "instructions/fetch", "served")
    assert found["sides"][0]["rounds"] == found["sides"][1]["rounds"]
    contexts = dict(found["sides"][0]["contexts"])
    assert found["sides"][0]["rounds"]
    assert contexts.get("other", 0) < 0.01  # the server is older than the region, and its tasks are the application's
    assert {row["values"][label] for row in ran.json()["printed"] for label in row["values"]} == {"2"}
    share = ran.json()["kernel_share"][0]
    assert 0.3 < share["share"] < 1 and {"execve", "page fault"} < {entry["name"] for entry in share["entries"]}
    stacks = answers.profiles(tmp_path / "d", (f"{NEW} (head)",), None)[0].profile.stacks or ()
    assert not [one.path for one in stacks if one.path[0] == "user" and NO_SYMBOL in one.path]
    plan = json.loads((tmp_path / "d" / "plan.json").read_text())
    use = plan["experiment"]["workloads"][0]["program"]
    assert "busybox" in {package["name"] for package in use["application"]["closure"]}
    pinned = load(tmp_path / "d" / "pinned.toml")
    once = structs.replace(pinned, question="value", kernels=pinned.kernels[:1])
    measure(once, tmp_path / "e", silent)  # without the application's file
    one, again = (open_directory(tmp_path / name) for name in ("d", "e"))
    assert collect(one, one.records())[0].measurements[0].phases == (
        collect(again, again.records())[0].measurements[0].phases
    )


def test_rounds_are_from_a_line_that_it_prints_to_another(kassay: Kassay, tmp_path: Path) -> None:
    path = folder(tmp_path, {"whole": LINES.replace('start_line="begin", end_line="end", ', ""), "lines": LINES})
    (tmp_path / "both.toml").write_text(
        f'question = "value"\nkernels = ["{NEW}"]\nworkloads = ["whole", "lines"]\nboot = "snapshot"\n'
        "repeats = 1\nperturb = 0\n"
    )
    kassay("run", str(tmp_path / "both.toml"), "--format", "json", "--out", str(tmp_path / "d"), env=path)
    report = json.loads((tmp_path / "d" / "report.json").read_text())
    said = re.sub(r"(?<=\d)\s(?=\d)", "", report["verdict"])
    values = {metric: float(value) for value, metric in re.findall(r"([\d.]+) instructions/copy \((\w+)\)", said)}
    assert 0.2 < values["region"] / values["run"] < 0.4  # one of three copies


def test_every_bad_end_is_named(kassay: Kassay, tmp_path: Path) -> None:
    path = folder(tmp_path, {name: f'memory="128MiB", {words}' for name, (words, _) in BAD.items()})
    (tmp_path / "bad.toml").write_text(
        f'question = "value"\nkernels = ["{NEW}"]\nworkloads = {json.dumps(list(BAD))}\nboot = "snapshot"\n'
        'memory_bytes = ["256MiB"]\nrepeats = 1\nperturb = 0\nretries = 0\nprofile = "none"\n'
    )
    kassay("run", str(tmp_path / "bad.toml"), "--out", str(tmp_path / "d"), env=path)
    records = read_journal(tmp_path / "d" / "journal.jsonl")
    cells = {cell["id"]: cell["workload"] for cell in json.loads((tmp_path / "d" / "plan.json").read_text())["cells"]}
    said = {cells[record.run.rpartition("-")[0]]: record.detail for record in records}
    assert said.keys() == BAD.keys()
    assert [name for name, (_, words) in BAD.items() if words not in said[name]] == [], said


def test_what_cannot_run_is_refused_before_anything_is_booted(kassay: Kassay, tmp_path: Path) -> None:
    path = folder(tmp_path, {"small": f'command=("{BOX}", "true"), memory="4GiB",',
                             "absent": 'command=("/usr/bin/no-such-tool",),',
                             "foreign": f'command=("{BOX}", "true"), arches=("arm64",),'})  # fmt: skip
    ended = {
        name: kassay("compare", name, NEW, NEW, *words, "--out", str(tmp_path / name), env=path)
        for name, words in (("small", ("--memory", "1GiB")), ("absent", ()), ("foreign", ()))
    }
    assert all(ran.status == 2 and not (tmp_path / name).exists() for name, ran in ended.items())
    assert "small: needs 4GiB of memory, and the machine has 1GiB" in ended["small"].err
    assert "absent: /usr/bin/no-such-tool is not in the image" in ended["absent"].err
    assert "foreign: not for x86_64" in ended["foreign"].err
