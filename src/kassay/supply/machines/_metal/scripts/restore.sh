# On the kernel on which the machine was found: every setting as it was found. DIRECTORY
directory=$1
awk -F '\t' '$1 == "setting" { print $2 }' "$directory/found" | while read -r file value; do
	chosen "$file" && [ "$line" != "$value" ] || continue
	{ printf '%s\n' "$value" >"$file"; } 2>/dev/null
	chosen "$file"
	if [ "$line" = "$value" ]; then fact restored "$file $value"; else fact differs "$file is $line, was $value"; fi
done
exit 0
