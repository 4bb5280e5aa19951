# SPDX-License-Identifier: GPL-2.0-only
"""How make is called: with a fixed build identity, and without what a user has set for builds of his own.

LLVM=1 or CROSS_COMPILE would choose another linker, KCONFIG_CONFIG another file, MAKEFLAGS=-n nothing at all: the same
inputs would give another image. This holds for the configuration as for the build.
"""

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


def make(*arguments: str) -> tuple[str, ...]:
    """The words of a call of make."""
    unset = (word for name in _CLEARED for word in ("-u", name))
    return ("env", *unset, "make", *arguments)


def variables(compiler: str = "") -> dict[str, str]:
    """What every call of make finds set; its compiler cache is our own. compiler: identity of all that fills that."""
    check = f"string:{compiler}" if compiler else "mtime"
    return {**_FIXED, "CCACHE_DIR": str(cache_directory() / "ccache"), "CCACHE_COMPILERCHECK": check}
