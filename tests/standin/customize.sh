#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A hook of mmdebstrap: customize.sh ROOT turns a bare Debian into the stand-in.
set -e
root=$1
cp -r --no-preserve=ownership "$(dirname "$0")/files/." "$root/"
chmod 0440 "$root/etc/sudoers.d/lab"
chmod 0755 "$root/usr/local/sbin/standin-governor"
chroot "$root" useradd --create-home --shell /bin/sh --password '*' lab
chroot "$root" systemctl enable systemd-networkd ssh standin-identity standin-governor
chroot "$root" systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer
# What only takes time in an emulator: nobody logs in at the console, and modules are loaded where they are used.
chroot "$root" systemctl mask serial-getty@ttyS0 getty@tty1 modprobe@drm modprobe@efi_pstore modprobe@fuse \
	systemd-tmpfiles-clean.timer systemd-binfmt systemd-pstore getty-static
# It loads the modules of virtual sockets, at the very start; a busy host made systemd give up there.
mkdir -p "$root/etc/systemd/system-generators"
ln -s /dev/null "$root/etc/systemd/system-generators/systemd-ssh-generator"
# The first boot of a machine without an identity would preset every unit; each start of the stand-in is a first boot.
echo 5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e > "$root/etc/machine-id"
# Keys are those of a start, see host.py.
rm -f "$root"/etc/ssh/ssh_host_*
chroot "$root" update-initramfs -u
