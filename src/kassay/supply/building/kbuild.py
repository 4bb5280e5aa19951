# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's own make: how it is called, and what in its log is the cause of a failure.

It is called with a fixed build identity, and without what a user has set for builds of his own: LLVM=1 or CROSS_COMPILE
would choose another linker, KCONFIG_CONFIG another file, MAKEFLAGS=-n nothing at all, and the same inputs would give
another image. This holds for the configuration as for the build.
"""

import re

from kassay.effects.files import cache_directory

_FIXED = {
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 2026", "KBUILD_BUILD_USER": "kassay",
    "KBUILD_BUILD_HOST": "kassay", "KBUILD_BUILD_VERSION": "1", "SOURCE_DATE_EPOCH": "1767225600", "TZ": "UTC",
    "CCACHE_NOHASHDIR": "1", "CCACHE_MAXSIZE": "20G", "CCACHE_CONFIGPATH": "/dev/null",
}  # fmt: skip
_CLEARED = (
    "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKELEVEL", "MAKEOVERRIDES", "ARCH", "SUBARCH", "SRCARCH",
    "UTS_MACHINE", "CROSS_COMPILE", "LLVM", "LLVM_IAS", "CC", "LD", "AS", "CPP", "CFLAGS", "CPPFLAGS", "LDFLAGS",
    "HOSTCC", "HOSTCFLAGS", "HOSTCXXFLAGS", "HOSTLDFLAGS", "HOSTLDLIBS", "KCFLAGS", "KCPPFLAGS", "KAFLAGS",
    "KRUSTFLAGS", "KBUILD_LDFLAGS", "KBUILD_OUTPUT", "KBUILD_EXTMOD", "KBUILD_EXTMOD_OUTPUT", "KBUILD_DEFCONFIG",
    "KBUILD_KCONFIG", "KBUILD_NOCMDDEP", "KBUILD_VERBOSE", "KCONFIG_CONFIG", "KCONFIG_ALLCONFIG",
    "KCONFIG_AUTOCONFIG", "KCONFIG_AUTOHEADER", "KCONFIG_DEFCONFIG_LIST", "KCONFIG_NOSILENTUPDATE",
    "KCONFIG_OVERWRITECONFIG", "KCONFIG_WERROR", "KCONFIG_WARN_UNKNOWN_SYMBOLS", "KCONFIG_SEED",
    "KCONFIG_PROBABILITY", "LOCALVERSION", "KERNELVERSION", "KERNELRELEASE", "O", "M", "W", "C", "V", "CF", "CHECK",
    "CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES", "CCACHE_DISABLE", "CCACHE_BASEDIR", "CCACHE_CPP2", "CCACHE_EXTRAFILES", "CCACHE_PREFIX",
    "CCACHE_PREFIX_CPP", "CCACHE_SLOPPINESS", "CCACHE_IGNOREOPTIONS", "CCACHE_COMPILER", "CCACHE_COMPILERTYPE",
    "CCACHE_READONLY", "CCACHE_HARDLINK", "CCACHE_FILECLONE", "CCACHE_UMASK",
    "CCACHE_NAMESPACE", "CCACHE_DEPEND", "CCACHE_PATH", "CCACHE_DEBUG", "CCACHE_LOGFILE",
)  # fmt: skip
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
_KILLED = re.compile(
    r"fatal error: Killed signal terminated program|unable to execute command: Killed"
    r"|^make(?:\[\d+\])?: \*\*\* \[.*\] (?:Killed|Error 137)$|out of memory allocating|virtual memory exhausted",
    re.MULTILINE,
)
"""A program of the build was killed, as the kernel does when memory runs out: by gcc, clang, make and cc1."""
# The package that has a missing header or program.
_HINTS = (
    (re.compile(r"libelf\.h|gelf\.h"), "install libelf-dev"),
    (re.compile(r"openssl/\S+\.h"), "install libssl-dev"),
    (re.compile(r"\bflex: "), "install flex"),
    (re.compile(r"\bbison: "), "install bison"),
    (re.compile(r"\bbc: "), "install bc"),
    (re.compile(r"\bpahole: "), "install pahole, or build without CONFIG_DEBUG_INFO_BTF"),
)


def argv(*arguments: str) -> tuple[str, ...]:
    """The command line of a call of make."""
    unset = (word for name in _CLEARED for word in ("-u", name))
    return ("env", *unset, "make", *arguments)


def variables(compiler: str = "") -> dict[str, str]:
    """The environment of every call of make, with kassay's own ccache. compiler: identity of what fills that cache."""
    check = f"string:{compiler}" if compiler else "mtime"
    return {**_FIXED, "CCACHE_DIR": str(cache_directory() / "ccache"), "CCACHE_COMPILERCHECK": check}


def was_killed(log: str) -> bool:
    """True if a program of the build was killed or found no memory, which is no fault of the sources."""
    return _KILLED.search(log) is not None


def first_error(log: str) -> str:
    """The line that names the cause, and a known hint as a second line; never the last line of make itself."""
    lines = [line.rstrip() for line in log.replace("\r", "").splitlines()]
    for line in lines:
        if any(pattern.match(line) for pattern in _ERRORS):
            return _with_hint(line)
    others = [line for line in lines if line.strip() and not _FOOTER.match(line) and not _CONTINUED.match(line)]
    if others:
        return others[-1].strip()
    failed = re.search(r"\*\*\* \[(?:\S+: )?(\S+?)\] (.+)", log)
    return f"{failed[1]}: {failed[2]}" if failed else "the build ended without a word"


def _with_hint(line: str) -> str:
    hint = next((words for pattern, words in _HINTS if pattern.search(line)), "")
    return f"{line.strip()}\n{hint}" if hint else line.strip()
