# SPDX-License-Identifier: GPL-2.0-only
"""git packs a repository anew."""

import random
from collections.abc import Iterator, Mapping

from kassay.model.application import Application
from kassay.supply.applications._inputs import words

_COMMITS, _FILES = 150, 200
_GIT = ("/usr/bin/git", "-C", "repository")


def _stream() -> Iterator[str]:
    """Input of git fast-import."""
    chance = random.Random(16)
    source = words(chance)
    files = [[next(source) for _ in range(150)] for _ in range(_FILES)]
    for number in range(1, _COMMITS + 1):
        changed = range(_FILES) if number == 1 else sorted({chance.randrange(_FILES) for _ in range(6)})
        yield f"commit refs/heads/main\nmark :{number}\ncommitter A <a@b> {1_700_000_000 + number * 3600} +0000\n"
        yield f"data {len(f'change {number}')}\nchange {number}\n"
        for name in changed:
            files[name][chance.randrange(150)] = f"{next(source)} {number}"
            content = "\n".join(files[name])
            yield f"M 100644 inline part{name % 20}/file{name}\ndata {len(content)}\n{content}\n"
        yield "\n"


def _inputs() -> Mapping[str, bytes]:
    setup = "#!/bin/sh -e\ngit init -q -b main repository\ngit -C repository fast-import --quiet < stream\nrm stream\n"
    return {"stream": "".join(_stream()).encode(), "make_repository": setup.encode()}


APPLICATION = Application(
    name="git_repack",
    summary=f"git repack -a -d -f of a repository of {_COMMITS} commits and {_FILES} files, one thread",
    uses="maps packs as windows of 32 MiB and more, reads them by faults, grows its heap by brk, writes one file",
    packages=("git", "dash", "coreutils"),
    setup=(("/data/make_repository",),),
    command=(*_GIT, "-c", "pack.threads=1", "repack", "-a", "-d", "-f", "-q"),
    checks=((*_GIT, "fsck", "--no-progress"),),
    environment=("PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"),
    operations=str(_COMMITS),
    operation="commit",
    inputs=_inputs,
)
