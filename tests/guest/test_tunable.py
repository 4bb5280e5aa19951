# SPDX-License-Identifier: GPL-2.0-only
"""The word that holds is picked from a policy's file."""

import subprocess
from pathlib import Path

from kassay.supply.guest import sources

PROGRAM = """
#include "tunable.c"
int fail(struct run *run, const char *format, ...) { return run && format ? -1 : 0; }
int main(int count, char **words)
{
	char text[MAX_TEXT];

	for (int i = 1; i < count; i++) {
		snprintf(text, sizeof(text), "%s", words[i]);
		take_chosen(text);
		puts(text);
	}
	return 0;
}
"""


def test_the_word_in_brackets_holds_and_other_texts_stay(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{sources.directory()}")
    subprocess.run(("gcc", *flags, "-o", str(tmp_path / "a"), str(tmp_path / "a.c")), check=True)
    texts = ("always [madvise] never", "always", "] never [always", "[open", "[]")
    done = subprocess.run((str(tmp_path / "a"), *texts), capture_output=True, text=True)
    assert (done.stdout.splitlines(), done.returncode) == (["madvise", "always", "] never [always", "[open", ""], 0)
