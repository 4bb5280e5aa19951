# What the machine is, and what it can do. Changes nothing.
told() {
	first_line "$2" && fact "$1" "$line"
}
told release /proc/sys/kernel/osrelease
told version /proc/sys/kernel/version
told banner /proc/version
told node /proc/sys/kernel/hostname
told boot /proc/sys/kernel/random/boot_id
told cmdline /proc/cmdline
fact machine "$(uname -m)"
fact root "$(id -u)"
awk -F ': ' '
	$1 ~ /^model name/ { cpu = $2 }
	$1 ~ /^microcode/ { microcode = $2 }
	$1 ~ /^flags/ { virtual = (" " $2 " ") ~ / hypervisor / }
	END { printf "cpu\t%s\nmicrocode\t%s\nhypervisor\t%s\n", cpu, microcode, virtual ? "yes" : "no" }
' /proc/cpuinfo
told cpus $cpu/present
told online $cpu/online
told maker /sys/class/dmi/id/sys_vendor
told board /sys/class/dmi/id/product_name
first_line /sys/devices/system/memory/block_size_bytes
set -- /sys/devices/system/memory/memory[0-9]*
fact memory $(($# * 0x${line:-0}))
told nodes /sys/devices/system/node/online
fact throttled "$(throttled)"
fact kexec "$(command -v kexec)"
fact kexec_version "$(kexec --version 2>/dev/null </dev/null)"
told kexec_off /proc/sys/kernel/kexec_load_disabled
chosen /sys/kernel/security/lockdown && fact lockdown "$line"
[ -d /run/systemd/system ] && fact systemd yes
for tool in mkinitramfs dracut; do
	command -v $tool >/dev/null && fact initrd_tool $tool
done
for tool in depmod unshare mount flock setsid tar gzip sha256sum timeout; do
	command -v $tool >/dev/null || fact lacking $tool
done
fact free_kb "$(df -Pk /var/tmp | awk 'NR == 2 { print $4 }')"
grep -Hs . $cpu/vulnerabilities/* | sed "s|^$cpu/vulnerabilities/|mitigation.|; s/:/	/"
settings

# What boots this kernel again.
read -r release </proc/sys/kernel/osrelease
named=
for word in $(cat /proc/cmdline); do
	case $word in
	BOOT_IMAGE=*) named=${word##*/} ;;
	esac
done
first_of "/boot/vmlinuz-$release" ${named:+"/boot/$named"} "/usr/lib/modules/$release/vmlinuz"
fact image "$line"
first_of "/boot/initrd.img-$release" "/boot/initramfs-$release.img" "/boot/initrd-$release"
fact initrd "$line"

# Experiments that have a directory here: id, seconds since it last did something, kB in it, process that made it.
now=$(date +%s)
for directory in /var/tmp/kassay-*; do
	is_session "$directory" && first_line "$directory/owner" || continue
	alive=$(stat -c %Y "$directory/alive" 2>/dev/null || echo 0)
	for running in "$directory"/runs/*/running; do # locked while a program runs, which may take long
		[ ! -e "$running" ] || flock -n -s "$running" true || alive=$now
	done
	kb=$(du -sk "$directory" 2>/dev/null | cut -f1)
	fact session "$id $((now - alive)) ${kb:-0} $line"
done

busy
before=$ticks
sleep 2
busy
fact busy $((ticks - before))
