# What is recorded of a boot, as lines "file<TAB>NAME<TAB>LINE". DIRECTORY RUN
place=$1/runs/$2
printf 'file	kassay/elsewhere	yes\n'
lines() {
	sed "s|^|file	$2	|" "$1" 2>/dev/null
}
lines "$place/quiescence" kassay/quiescence
lines /proc/modules /proc/modules
lines /sys/kernel/debug/sched/preempt kassay/preempt
grep -Hs . /proc/cmdline $cpu/online $cpu/smt/control $cpu/intel_pstate/no_turbo $cpu/cpufreq/boost \
	$cpu/cpufreq/policy*/scaling_governor $cpu/cpufreq/policy*/scaling_driver $cpu/vulnerabilities/* \
	/proc/sys/vm/swappiness | sed 's/^/file	/; s/:/	/'
awk -F ': ' '$1 ~ /^microcode/ { print "file\tkassay/microcode\t" $2; exit }' /proc/cpuinfo
throttling=unknown
for counters in $cpu/cpu*/thermal_throttle; do
	[ -e "$counters" ] && throttling=counted
done
printf 'file	kassay/throttling	%s\n' $throttling
first_line "$place/uptime" && fact uptime "$line"
exit 0
