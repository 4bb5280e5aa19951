# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the files of an image: those it takes from a package, and those that scripts of packages would have
made."""

import re
from typing import NamedTuple

VERSION = 3
"""Increase it when this file, or the code that writes an image, changes: images are then made again."""

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Directories of the root that are symbolic links into /usr."""

# Files that no program reads while it works: documentation, translations, files for a desktop, a service manager or the
# package manager.
_LEFT_OUT = re.compile(
    r"usr/share/(?:doc|doc-base|man|info|locale|i18n|lintian|bug|menu|icons|pixmaps|applications|metainfo|gdb"
    r"|bash-completion|zsh|fish|debconf|common-licenses|reportbug|apport|polkit-1|dbus-1|perl5/Debconf)(?:/|$)"
    r"|usr/lib/(?:systemd|tmpfiles\.d|sysusers\.d|sysctl\.d|udev|modules-load\.d|debug)(?:/|$)"
    r"|usr/(?:games|lib/modules)(?:/|$)"
    r"|etc/(?:init\.d|default|cron\.\w+|logrotate\.d|systemd|pam\.d|apparmor\.d|apt|dpkg|xdg|bash_completion\.d)(?:/|$)"
    r"|var/(?:lib/dpkg|lib/apt|cache|log)(?:/|$)"
    r"|(?:dev|proc|sys|boot|modules)(?:/|$)"
)


class Made(NamedTuple):
    """A file or directory (data is None) that no package holds."""

    path: str
    mode: int
    """Permission bits."""
    data: bytes | None = None


# What base-passwd, base-files and netbase would have made or hold; the users are root, nobody, and one for programs
# that refuse to be root.
MADE = (
    Made("etc/passwd", 0o644, b"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/data:/bin/sh\n"
         b"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"),
    Made("etc/group", 0o644, b"root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"),
    Made("etc/nsswitch.conf", 0o644, b"passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\n"),
    Made("etc/hosts", 0o644, b"127.0.0.1 localhost\n::1 localhost\n"),
    Made("root", 0o700), Made("run", 0o755), Made("tmp", 0o1777), Made("var/tmp", 0o1777), Made("data", 0o755),
    Made("proc", 0o555), Made("sys", 0o555), Made("dev", 0o755),
)  # fmt: skip


def image_path(path: str) -> str | None:
    """The path of a package's member in the image ("usr/bin/sh" for "./bin/sh"); None when it is left out."""
    parts = [word for word in path.split("/") if word not in ("", ".")]
    if parts and parts[0] in MERGED:
        parts.insert(0, "usr")
    inside = "/".join(parts)
    return None if not inside or _LEFT_OUT.match(inside) else inside
