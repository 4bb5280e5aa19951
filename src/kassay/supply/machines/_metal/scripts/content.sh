# Which of these files are here, by their sha256; what is damaged is removed. DIRECTORY SHA256...
directory=$1
shift
touch "$directory/alive"
for sha256; do
	file=$directory/content/$sha256
	[ -e "$file" ] || continue
	if [ "$(sha256sum <"$file" | cut -d' ' -f1)" = "$sha256" ]; then
		fact have "$sha256"
	else
		rm -f "$file"
	fi
done
