# Starts what waits until nothing else runs, and then executes the program: by itself, so that a lost connection does not
# end it. DIRECTORY RUN PROGRAM SECONDS ARGUMENT...: PROGRAM is a sha256; SECONDS the limit of the program
directory=$1 place=$1/runs/$2 program=$1/content/$3 limit=$4
touch "$directory/alive"
shift 4
[ -e "$place/begun" ] && exit 0
mkdir -p "$place" || fail "$place cannot be made"
cp "$program" "$place/program" && chmod 0700 "$place/program" || fail "no program"

# The file "running" is locked until all of this has ended, by whoever has descriptor 9.
exec 9>"$place/running"
flock 9
: >"$place/begun"
(
	trap '' HUP
	exec </dev/null >/dev/null 2>&1
	cd "$place" || exit 1
	# Logins and ends of sessions are work, too: who waits (wait.sh) is asleep before the program starts. Nobody comes
	# where the connection was cut.
	waited=0
	while [ ! -e waiting ] && [ $waited -lt 60 ]; do
		sleep 2
		waited=$((waited + 2))
	done

	# Busy at most for 2 % of one CPU, three times in a row, within two minutes.
	quiet=0 waited=0
	while [ $quiet -lt 3 ] && [ $waited -lt 120 ]; do
		busy
		before=$ticks
		sleep 2
		busy
		used=$((ticks - before)) waited=$((waited + 2))
		if [ $used -le 4 ]; then quiet=$((quiet + 1)); else quiet=0; fi
	done
	if [ $quiet -lt 3 ]; then
		name=$(ps -eo comm= --sort=-pcpu 2>/dev/null | head -n 1)
		printf 'state busy\nbusy %s %s\n' "${name:-unknown}" "$used" >quiescence
		exit 0
	fi
	printf 'state quiet\nwaited %s\n' "$waited" >quiescence
	throttled >throttled
	busy
	before=$stolen
	first_line /proc/uptime
	began=${line%% *}
	printf '%s\n' "$began" >uptime
	printf 'kassay: run begins\n' >/dev/kmsg
	timeout -s KILL "$limit" ./program "$@" --out "$place/stream" 9>&- >output 2>&1
	status=$?
	awk -v began="$began" '{ printf "%.2f\n", $1 - began }' /proc/uptime >elapsed
	busy
	printf '%s\n' $((stolen - before)) >stolen
	sync
	printf '%s\n' "$status" >status
) &
