# SPDX-License-Identifier: GPL-2.0-only
"""State of a stand-in, to tell whether it is the same as before: kernel, settings, mounts, every file."""

import re
from collections.abc import Mapping

from tests.standin.host import StandIn

# What every boot and every login of a Debian writes.
_ITS_OWN = re.compile(
    r"/var/(?:log/(?:wtmp|btmp|lastlog)|lib/(?:lastlog/|systemd/|private/|sudo/)|cache/(?:ldconfig|private)/)|"
    r"/etc/(?:mtab|resolv\.conf|ld\.so\.cache|\.updated)$|/var/\.updated$"
)
_LOOK = """
cpu=/sys/devices/system/cpu
echo "kernel: $(uname -r) $(uname -v)"
echo "parameters: $(cat /proc/cmdline)"
echo "mounts: $(awk '$3 != "autofs" && $2 !~ "^/run/credentials" { print $2 }' /proc/mounts | sort | tr '\\n' ' ')"
for file in $cpu/cpufreq/policy*/scaling_governor $cpu/smt/control $cpu/online /sys/kernel/mm/ksm/run \
		/sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/nmi_watchdog /proc/sys/kernel/randomize_va_space \
		/proc/sys/vm/swappiness /proc/sys/vm/dirty_ratio /sys/kernel/kexec_loaded; do
	[ -r "$file" ] && echo "$file: $(cat "$file")"
done
find / -xdev ! -type d -printf '%p: %y %m %U %s %T@ %l\\n' -o -type d -printf '%p: %y %m %U\\n'
"""


def state_of(standin: StandIn) -> dict[str, str]:
    """Value by name: its kernel, parameters and settings, and of every file on its disk kind, mode, owner, size and
    time. Without what every boot writes. Raises RuntimeError when it does not answer."""
    ran = standin.ssh(f"sudo -n sh -c '{_LOOK.replace(chr(39), _QUOTE)}'", timeout_s=300)
    if ran.status:
        raise RuntimeError(f"{standin.address}: {ran.err.strip()}")
    rows = (line.partition(": ") for line in ran.out.splitlines())
    return {name: value for name, colon, value in rows if colon and not _ITS_OWN.match(name)}


_QUOTE = "'\\''"


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """A line for each name that is not the same; none where nothing is left behind."""
    return [
        f"{name}: {before.get(name, 'not there')} -> {after.get(name, 'gone')}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
