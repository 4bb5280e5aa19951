# A kernel, its modules, and an initrd for it by the machine's own tools, all in DIRECTORY/kernels/IMAGE. In a mount
# namespace of its own /lib/modules and /boot are this kernel's, so that nothing is written to the machine's.
# DIRECTORY RELEASE IMAGE MODULES CONFIG: sha256 of the last three, - for one that there is not
directory=$1 release=$2 image=$3 modules=$4 config=$5
kernel=$directory/kernels/$image
touch "$directory/alive"
exec 9>"$directory/preparing"
flock 9 # a lost connection does not end what it had begun
[ -e "$kernel/made" ] && exit 0
rm -rf "$kernel"
mkdir -p "$kernel/lib/modules/$release" "$kernel/conf" || fail "$kernel cannot be made"
cp "$directory/content/$image" "$kernel/image" || fail "no image"
if [ "$modules" != - ]; then
	tar -xzf "$directory/content/$modules" -C "$kernel" || fail "the modules cannot be unpacked"
	depmod -b "$kernel" "$release" || fail "depmod failed"
fi
[ "$config" = - ] || cp "$directory/content/$config" "$kernel/config"

# Run by the initrd when the root file system is there: the modules of this kernel, in memory, above the machine's own.
cat >"$kernel/mount-modules" <<END
#!/bin/sh
[ "\${1:-}" = prereqs ] && exit 0
root=\${rootmnt:-\${NEWROOT:-/root}}
from=\$root$kernel/lib/modules/$release
to=\$root/usr/lib/modules
[ -L "\$root/lib" ] || to=\$root/lib/modules
[ -d "\$from" ] && [ -d "\$to" ] || exit 0
mount -t tmpfs tmpfs "\$to" && mkdir "\$to/$release" && mount -o bind "\$from" "\$to/$release"
exit 0
END
chmod 0755 "$kernel/mount-modules"

# Besides what the tool takes by itself: the drivers that this machine uses now.
cat >"$kernel/drivers" <<'END'
#!/bin/sh
[ "${1:-}" = prereqs ] && exit 0
. /usr/share/initramfs-tools/hook-functions
manual_add_modules $(cut -d' ' -f1 /proc/modules)
END
chmod 0755 "$kernel/drivers"

export kernel release
if command -v mkinitramfs >/dev/null; then
	cp -a /etc/initramfs-tools/. "$kernel/conf/"
	mkdir -p "$kernel/conf/hooks" "$kernel/conf/scripts/init-bottom"
	cp "$kernel/drivers" "$kernel/conf/hooks/kassay"
	cp "$kernel/mount-modules" "$kernel/conf/scripts/init-bottom/kassay"
	make='mkinitramfs -d "$kernel/conf" -o "$kernel/initrd" "$release"'
else
	make='dracut --force --kver "$release" --add-drivers "$(cut -d" " -f1 /proc/modules | tr "\n" " ")" \
		--include "$kernel/mount-modules" /usr/lib/dracut/hooks/pre-pivot/50-kassay.sh "$kernel/initrd"'
fi
unshare -m sh -c "
	mount -t tmpfs tmpfs /lib/modules && mkdir /lib/modules/\$release &&
	mount --bind \$kernel/lib/modules/\$release /lib/modules/\$release && mount -t tmpfs tmpfs /boot || exit 1
	[ ! -e \$kernel/config ] || cp \$kernel/config /boot/config-\$release
	TMPDIR=/var/tmp $make
" </dev/null >"$kernel/initrd.log" 2>&1 || fail "no initrd: $(tail -n 1 "$kernel/initrd.log")"
[ -s "$kernel/initrd" ] || fail "no initrd: $(tail -n 1 "$kernel/initrd.log")"
touch "$kernel/made"
