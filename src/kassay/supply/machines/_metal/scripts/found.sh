# Prints what was noted of the machine as it was found. DIRECTORY
cat "$1/found" || fail "$1/found is not there"
