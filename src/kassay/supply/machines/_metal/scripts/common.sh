# SPDX-License-Identifier: GPL-2.0-only
# In front of every script. What a script has to tell, it prints as lines "NAME<TAB>VALUE".
set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
umask 077

fact() {
	printf '%s\t%s\n' "$1" "$2"
}

fail() {
	printf 'kassay: %s\n' "$*" >&2
	exit 1
}

# Few processes are started below: the machine may be slow, and is to become quiet.

# The first line of a file as $line; status 1 where there is no such file.
first_line() {
	line=
	[ -r "$1" ] || return
	case $1 in
	/proc/sys/*) line=$(cat "$1") ;; # read takes a byte at a time, and numbers there end after the first
	*) { read -r line <"$1" || [ -n "$line" ]; } 2>/dev/null ;;
	esac
}

# What is chosen in a file such as "always [madvise] never", or its first line, as $line.
chosen() {
	first_line "$1" || return
	case $line in
	*\[*\]*) line=${line#*\[} line=${line%%\]*} ;;
	esac
}

# The first of these files that is there, as $line.
first_of() {
	line=
	for candidate; do
		[ -e "$candidate" ] && line=$candidate && return
	done
}

# Status 0 where this is the path of an experiment's directory, with its id as $id. Nothing else is kassay's.
is_session() {
	id=${1#/var/tmp/kassay-}
	case $id in
	*[!0-9a-f]*) return 1 ;;
	esac
	[ ${#id} = 12 ]
}

cpu=/sys/devices/system/cpu
thp=/sys/kernel/mm/transparent_hugepage

# Every setting that kassay may change while an experiment's kernel runs: "FILE VALUE".
settings() {
	grep -Hs . $cpu/cpufreq/policy*/scaling_governor $cpu/intel_pstate/no_turbo $cpu/cpufreq/boost $cpu/smt/control \
		$thp/enabled $thp/hugepages-*/enabled /sys/kernel/mm/ksm/run /proc/sys/kernel/nmi_watchdog \
		/proc/sys/kernel/numa_balancing /proc/sys/vm/dirty_*ratio /proc/sys/vm/dirty_*bytes \
		/proc/sys/vm/percpu_pagelist_high_fraction \
		/proc/sys/vm/swappiness | sed 's/:.*\[\(.*\)\].*/ \1/; s/:/ /; s/^/setting	/'
}

# How often a CPU was slowed down for its temperature or its power, of all CPUs.
throttled() {
	cat $cpu/cpu*/thermal_throttle/*_throttle_count 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'
}

# Ticks (of 10 ms) that all CPUs were busy, or had to wait while a hypervisor ran other guests, as $ticks; the latter as
# $stolen.
busy() {
	read -r _ user nice system _ _ irq softirq stolen _ </proc/stat
	ticks=$((user + nice + system + irq + softirq + stolen))
}
