# Puts the machine in order, while a kernel of the experiment runs. DIRECTORY MODULES "FILE VALUE"...
# MODULES: names of kernel modules that the workload needs. The words behind them are what the experiment asks for, such
# as a policy of huge pages.
directory=$1 modules=$2
shift 2
touch "$directory/alive"

# A setting that must be so, where there is one.
must() {
	chosen "$1" || return 0
	[ "$line" = "$2" ] && return
	{ printf '%s\n' "$2" >"$1"; } 2>/dev/null
	chosen "$1"
	[ "$line" = "$2" ] || fact refused "$1 is $line and cannot be set to $2"
}

for governor in $cpu/cpufreq/policy*/scaling_governor; do
	must "$governor" performance
done
must $cpu/intel_pstate/no_turbo 1
must $cpu/cpufreq/boost 0
first_line $cpu/smt/control && [ "$line" = on ] && must $cpu/smt/control off
for module in $modules; do
	modprobe "$module" 2>/dev/null || fact refused "module $module cannot be loaded"
done
must /sys/kernel/mm/ksm/run 0
must /proc/sys/kernel/nmi_watchdog 0
must /proc/sys/kernel/numa_balancing 0
for asked; do
	file=${asked%% *}
	[ -e "$file" ] || fact refused "$file: this kernel has none"
	must "$file" "${asked#* }"
done

# Nothing that starts by itself: timers of systemd, and interrupts on the CPU of the workload where others can take them.
[ -d /run/systemd/system ] && systemctl stop '*.timer' </dev/null >/dev/null 2>&1
first_line $cpu/online
last=${line##*[-,]}
for interrupt in /proc/irq/[0-9]*/smp_affinity_list; do
	[ "$last" = 0 ] || { printf '%s\n' "$last" >"$interrupt"; } 2>/dev/null
done
settings
