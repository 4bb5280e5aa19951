# Makes the directory of this experiment. DIRECTORY OWNER
mkdir -p "$1/content" "$1/kernels" "$1/runs" || fail "$1 cannot be made"
printf '%s\n' "$2" >"$1/owner"
touch "$1/alive"
