# Prints the log of a kernel that crashed, where the firmware has kept it (pstore). DIRECTORY
# systemd-pstore moves it when the machine comes up again. Logs that are older than the boot are not of its kernel.
kept=/var/lib/systemd/pstore
for file in /sys/fs/pstore/dmesg-* $kept/dmesg-* $kept/*/dmesg-* $kept/*/*/dmesg-*; do
	[ ! "$file" -nt "$1/cmdline" ] || sed 's/^<[0-9]*>//' "$file"
done
