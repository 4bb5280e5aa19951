# SPDX-License-Identifier: GPL-2.0-only
"""The stand-in by hand.

usage: python -m tests.standin start DIRECTORY [--governor NAME] [--threads 2]    waits until ssh answers
       python -m tests.standin reset|stop DIRECTORY
       python -m tests.standin link DIRECTORY on|off
"""

import argparse
import sys
from pathlib import Path

from kassay.errors import KassayError
from kassay.model.progress import Progress
from tests.standin.host import StandIn, start
from tests.standin.image import image


def main() -> int:
    """Does one thing and ends; a started stand-in goes on."""
    parser = argparse.ArgumentParser(prog="python -m tests.standin", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("what", choices=("start", "reset", "stop", "link"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("state", nargs="?", choices=("on", "off"))
    parser.add_argument("--governor", default="", metavar="NAME")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    words = parser.parse_args()
    if (words.what == "link") != (words.state is not None):
        parser.error("link needs on or off, and nothing else takes it")
    try:
        return _done(words)
    except KassayError as error:
        print(error, file=sys.stderr)
        return error.status


def _done(words: argparse.Namespace) -> int:
    if words.what == "start":
        return _start(words.directory, words.governor, words.threads)
    standin = StandIn(words.directory)
    if words.what == "reset":
        standin.reset()
    elif words.what == "stop":
        standin.stop()
    else:
        standin.link(up=words.state == "on")
    return 0


def _start(directory: Path, governor: str, threads: int) -> int:
    made = image(_tell)
    standin = start(directory, made, governor=governor, threads=threads, ends_with_us=False)
    print(f"{standin.address}\nexport PATH={standin.directory}/bin:$PATH", flush=True)
    if not standin.answers():
        print(f"no answer; see {standin.directory}/console", file=sys.stderr)
        return 1
    return 0


def _tell(progress: Progress) -> None:
    print(progress.stage, progress.subject, progress.text, file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
