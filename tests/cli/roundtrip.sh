# What cat prints, run --inputs records again, byte for byte; runs with equal flags are equal files.
. "$LIB"
timed run --world runner --bot --seed 7 --players 2 --ticks 1500 -o a.tpr
quiet run --world runner --bot --seed 0x7 --players 2 --ticks 1500 -o b.tpr
cmp a.tpr b.tpr
timed verify a.tpr
t cat a.tpr > a.jsonl
quiet run --world runner --inputs a.jsonl --seed 7 --players 2 -o c.tpr
cmp a.tpr c.tpr
"$TICKPROOF" run --world runner --inputs - --seed 7 --players 2 -o - < a.jsonl 2> /dev/null > d.tpr
cmp a.tpr d.tpr
"$TICKPROOF" cat - < a.tpr | cmp - a.jsonl
t cat --from 3 --to 4 a.tpr
t diff a.tpr c.tpr
quiet run --world runner --bot --bot-delay 20 --seed 7 --players 2 --ticks 300 --hash fnv --root-bytes 16 --leaves 10 --keyframes 100 --seal 50 --run-ticks 7 --match final --slot-name 0=Ada --slot-name 1=Lin -o e.tpr
timed verify e.tpr
t info e.tpr | grep -v -e compiler -e build -e architecture -e numerics -e ' chain ' -e size
# A world in a library, with every kind of value, absent slots and commands.
cat > w.jsonl <<'X'
{"tick": 0, "slots": [{"slot": 0, "big": 18446744073709551615, "half": -0.5, "mode": "wild", "pair": [1, 2, 9]}]}

{"tick": 1, "slots": [{"slot": 1, "origin": "repeated", "hex": "01000000000000000000010002030405"}], "commands": [{"source": "host", "type": "raw", "hex": "c0ffee"}, {"source": 1, "type": 0}]}
{"tick": 2}
X
timed run --world "$WORLD" --inputs w.jsonl --seed 18446744073709551615 -o w.tpr
t cat --world "$WORLD" w.tpr > w2.jsonl
sed 's/"root":"[0-9a-f]*"/"root":"..."/' w2.jsonl
quiet run --world "$WORLD" --inputs w2.jsonl --seed 18446744073709551615 -o w2.tpr
cmp w.tpr w2.tpr
t cat w.tpr > hex.jsonl
quiet run --world "$WORLD" --inputs w2.jsonl --seed 18446744073709551615 -o w3.tpr
cmp w.tpr w3.tpr
timed verify --world "$WORLD" w.tpr
timed verify w.tpr
