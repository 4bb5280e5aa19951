# Waits for the end of the program, asleep. DIRECTORY RUN SECONDS
place=$1/runs/$2
if [ -e "$place/running" ]; then
	: >"$place/waiting"
	flock -s -w "$3" "$place/running" true || fact running yes
fi
first_line /proc/sys/kernel/random/boot_id
fact boot "$line"
first_line "$place/status" && fact status "$line"
first_line "$place/elapsed" && fact elapsed "$line"
first_line "$place/stolen" && fact stolen "$line"
fact detail "$(tail -n 1 "$place/output" 2>/dev/null)"
first_line "$place/throttled"
fact throttled $(($(throttled) - ${line:-0}))
touch "$1/alive"
