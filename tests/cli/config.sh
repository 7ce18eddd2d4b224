# A config is checked key by key; the line is named.
. "$LIB"
run() { t run --world runner --ticks 1 --config "$@"; }
run '{"entitys": 3}'
run '{"entities": 3.5}'
run '{"entities": "3"}'
run '{"entities": 1e1}'
run '{"entities": 0}'
run '{"entities": 9223372036854775808}'
run '{"entities": true}'
run '{} x'
run '{"entities": 1'
run missing.json
printf '[1]' > c.json; run c.json
printf '{\n "entities": 5,\n "lead_ms": 900,\n "lead_ms": 901\n}' > c.json; run c.json
printf '{\n "entities": 5,\n "lead_ms": 1\n}' > c.json; run c.json
printf '{\n "entities": 5,,\n}' > c.json; run c.json
printf '{"a\001": 1}' > c.json; run c.json
printf '{"\\u00011": 1}' > c.json; run c.json
printf '{"entities": 5,\n 7 : 1}' > c.json; run c.json
run "$(printf 'a\033[31m\n.json')"
printf '{"lead_ms": 900, "entities": 7}' > c.json
"$TICKPROOF" run --world runner --ticks 5 --config - -o a.tpr < c.json > /dev/null
"$TICKPROOF" info a.tpr | grep config
printf '{"fault_tick": 1000000}' > c.json
t run --world "$WORLD" --config c.json --ticks 0 | sed '$d'
