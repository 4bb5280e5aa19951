# SPDX-License-Identifier: GPL-2.0-only
"""What broke a kernel build: the first real error of its log."""

import re

# In a log of `make -j2 -k` the first line that matches one of these is the cause; what follows are consequences. They
# are tried line by line, not pattern by pattern: the earliest cause wins.
_ERRORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\S+?:\d+(?::\d+)?: (?:fatal )?error: .+",  # gcc, clang: a place in a file
        r"^\S+?:\d+(?::\d+)?: Error: .+",  # the assembler
        r"^(?:cc1|gcc\S*|clang\S*|collect2|as|objcopy|objdump): (?:fatal |internal )?error: .+",
        r"^\S*(?:cc1|gcc|clang)\S*: (?:fatal |internal |internal compiler )?error: .+",
        r"^\S+?:\d+(?::\d+)?: internal compiler error: .+",
        r"^(?:\S*ld(?:\.\S+)?: )?\S+: undefined reference to .+",
        r"^\S*ld(?:\.\S+)?: (?!.*\bwarning\b|.*: in function `.*':$).+",
        r"^ERROR: modpost: .+",
        r"^\S+?: error: objtool: .+|^(?:error: )?objtool: (?!.*warning).+|^\S+: objtool: \S+ failed.*",
        r"^(?:FAILED|BTF): .+",
        r"^\S+:\d+: (?:syntax error|unknown statement|.*recursive dependency detected!?).*",  # Kconfig
        r"^\*\*\* .*(?:too old|not supported|Compiler|does not).*",  # scripts/cc-version.sh
        r"^(?:/bin/(?:ba)?sh|\S*sh): (?:line )?\d+: (\S+): (?:command )?not found",
        r"^(?:/bin/(?:ba)?sh|\S*sh): .+: (?:No such file or directory|Permission denied)",
        r"^\S*make\S*: (?:(?!\*\*\*).)*: (?:No such file or directory|Command not found)",
        r"^make(?:\[\d+\])?: \*\*\* No rule to make target .+",
        r"^make(?:\[\d+\])?: \*\*\* .+: No such file or directory.*",
        r"^\S*Makefile\S*:\d+: \*\*\* (?!\[).+",  # $(error ...)
        r"^(?:gzip|xz|zstd|bc|awk|perl|python3?): .+",
        r"^.*No space left on device.*",
        r"^\S+: (?:Killed|Segmentation fault|Terminated).*",
    )
)
_CONTINUED = re.compile(r"^In file included from |^\s+from |^\S+: In function ")
_FOOTER = re.compile(r"^\s*make(?:\[\d+\])?: (?:\*\*\* \[|Leaving |Entering |\*\*\* Waiting)")
# A missing header or program says which package is missing to those who know; the others are told.
_HINTS = (
    (re.compile(r"libelf\.h|gelf\.h"), "install libelf-dev"),
    (re.compile(r"openssl/\S+\.h"), "install libssl-dev"),
    (re.compile(r"\bflex: "), "install flex"),
    (re.compile(r"\bbison: "), "install bison"),
    (re.compile(r"\bbc: "), "install bc"),
    (re.compile(r"\bpahole: "), "install pahole, or build without CONFIG_DEBUG_INFO_BTF"),
)


def first_error(log: str) -> str:
    """The line that names the cause, and a hint on a second line where one is known; never make's own farewell."""
    lines = [line.rstrip() for line in log.replace("\r", "").splitlines()]
    for line in lines:
        if any(pattern.match(line) for pattern in _ERRORS):
            return _with_hint(line)
    told = [line for line in lines if line.strip() and not _FOOTER.match(line) and not _CONTINUED.match(line)]
    if told:
        return told[-1].strip()
    failed = re.search(r"\*\*\* \[(?:\S+: )?(\S+?)\] (.+)", log)
    return f"{failed[1]}: {failed[2]}" if failed else "the build ended without a word"


def _with_hint(line: str) -> str:
    hint = next((words for pattern, words in _HINTS if pattern.search(line)), "")
    return f"{line.strip()}\n{hint}" if hint else line.strip()
