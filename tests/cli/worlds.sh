. "$LIB"
t worlds
t worlds --world "$WORLD"
t worlds --world "$WORLD" hangworld
"$TICKPROOF" worlds --format json --world "$WORLD" > worlds.json
while read -r line; do echo "$line" | python3 -m json.tool > /dev/null || echo "not JSON: $line"; done < worlds.json
wc -l < worlds.json | tr -d ' '
