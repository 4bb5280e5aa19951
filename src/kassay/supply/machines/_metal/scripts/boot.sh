# Loads a kernel, and starts it after this script has ended. DIRECTORY IMAGE WORDS MANNER
# WORDS: kernel parameters behind the machine's own. MANNER: kexec, or load where something else starts it
directory=$1 kernel=$1/kernels/$2 words=$3 manner=$4
touch "$directory/alive"
run=${words##*kassay.run=}
own=$(awk -F '\t' '$1 == "cmdline" { print $2 }' "$directory/found" | tr ' ' '\n' |
	grep -v -e '^BOOT_IMAGE=' -e '^initrd=' -e '^kassay\.' | tr '\n' ' ')
printf '%s%s\n' "$own" "$words" >"$directory/cmdline"
fact image "$kernel/image"
fact initrd "$kernel/initrd"
fact cmdline "$own$words"
[ "$manner" = kexec ] && [ ! -e "$directory/runs/$run.started" ] || exit 0
kexec -s -l "$kernel/image" --initrd="$kernel/initrd" --command-line="$own$words" 2>"$directory/kexec.log" ||
	fail "kexec: $(tail -n 1 "$directory/kexec.log")"
sync
if [ -d /run/systemd/system ]; then go='systemctl kexec'; else go='kexec -e'; fi
setsid sh -c "sleep 1; $go" </dev/null >/dev/null 2>&1 &
: >"$directory/runs/$run.started"
