# Removes all that was brought here. DIRECTORY
is_session "$1" && rm -rf "$1"
[ ! -e "$1" ] || fail "$1 cannot be removed"
