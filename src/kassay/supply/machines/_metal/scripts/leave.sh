# Removes all that was brought here. DIRECTORY
case $1 in
/var/tmp/kassay-*) rm -rf "$1" ;;
esac
[ ! -e "$1" ] || fail "$1 cannot be removed"
