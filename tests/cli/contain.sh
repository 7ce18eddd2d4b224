# A world that crashes, hangs, diverges or faults costs its own file and no other.
. "$LIB"
quiet run --world "$WORLD" --ticks 200 -o a.tpr
quiet run --world runner --ticks 100 -o b.tpr
timed verify --world "$WORLD" a.tpr b.tpr
HANGWORLD=hang; export HANGWORLD
timed verify --world "$WORLD" --step-timeout 1 a.tpr b.tpr
HANGWORLD=crash
timed verify --world "$WORLD" b.tpr a.tpr | sed 's/(.*)/(...)/'
# Everything else steps worlds in its own process: then at least it says so.
t events --world "$WORLD" a.tpr
t run --world "$WORLD" --ticks 200 -o c.tpr
t plot --world "$WORLD" a.tpr -o c.svg
t synctest --world "$WORLD" --distance 1 --strength copy --ticks 200
HANGWORLD=diverge
timed verify --world "$WORLD" a.tpr b.tpr
t events --world "$WORLD" a.tpr
t diff --world "$WORLD" a.tpr a.tpr
unset HANGWORLD
timed run --world "$WORLD" --config '{"fault_tick": 20}' -o f.tpr
timed verify --world "$WORLD" f.tpr
t cat --world "$WORLD" --from 20 f.tpr | sed 's/"fault":"[0-9a-f]*"/"fault":"..."/'
"$TICKPROOF" cat --world "$WORLD" f.tpr > f.jsonl
"$TICKPROOF" run --world "$WORLD" --config '{"fault_tick": 20}' --inputs f.jsonl -o g.tpr > /dev/null 2>&1
echo "exit $?"
cmp f.tpr g.tpr
t diff --world "$WORLD" f.tpr a.tpr
t info f.tpr | grep -e fault -e ' end '
