# On the kernel on which the machine was found: every setting as it was found. DIRECTORY
directory=$1
awk -F '\t' '$1 == "setting" { print $2 }' "$directory/found" | while read -r file value; do
	case $file=$value in
	*/dirty_*=0) continue ;; # of a ratio and its bytes only one applies; the other one is 0, and is never set to it
	esac
	chosen "$file" && [ "$line" != "$value" ] || continue
	{ printf '%s\n' "$value" >"$file"; } 2>/dev/null
	chosen "$file"
	if [ "$line" = "$value" ]; then fact restored "$file $value"; else fact differs "$file is $line, was $value"; fi
done
exit 0
