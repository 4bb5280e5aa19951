# Starts the kernel on which the machine was found, after this script has ended. DIRECTORY MANNER
# MANNER: kexec, or reboot, where its boot loader starts what it always starts
directory=$1 manner=$2
touch "$directory/alive"
found() {
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$directory/found"
}
image=$(found image) initrd=$(found initrd) cmdline=$(found cmdline | sed 's/BOOT_IMAGE=[^ ]* *//')
go='systemctl reboot'
[ -d /run/systemd/system ] || go=reboot
if [ "$manner" = kexec ] && [ -n "$image" ] && [ -e "$image" ]; then
	kexec -s -l "$image" ${initrd:+"--initrd=$initrd"} --command-line="$cmdline" 2>"$directory/kexec.log" ||
		fail "kexec: $(tail -n 1 "$directory/kexec.log")"
	go='systemctl kexec'
	[ -d /run/systemd/system ] || go='kexec -e'
fi
sync
setsid sh -c "sleep 1; $go" </dev/null >/dev/null 2>&1 &
