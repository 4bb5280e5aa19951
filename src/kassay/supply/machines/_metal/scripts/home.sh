# Starts the kernel on which the machine was found, after this script has ended. DIRECTORY MANNER
# MANNER: kexec, or reboot, where its boot loader starts what it always starts. A kernel without kexec reboots, too.
directory=$1 manner=$2
touch -c "$directory/alive"
found() {
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$directory/found"
}
go=reboot
[ ! -d /run/systemd/system ] || go='systemctl reboot'
if [ "$manner" = kexec ]; then
	image=$(found image) initrd=$(found initrd) cmdline=$(found cmdline | sed 's/BOOT_IMAGE=[^ ]* *//')
	if [ ! -e "$image" ]; then
		fact reboots "its image is not there"
	elif kexec -s -l "$image" ${initrd:+"--initrd=$initrd"} --command-line="$cmdline" 2>"$directory/kexec.log"; then
		go='kexec -e'
		[ ! -d /run/systemd/system ] || go='systemctl kexec'
	else
		fact reboots "kexec: $(tail -n 1 "$directory/kexec.log")"
	fi
fi
sync
setsid sh -c "sleep 1; $go" </dev/null >/dev/null 2>&1 &
