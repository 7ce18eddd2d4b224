# Going back in all three strengths: runs that are well, worlds with one bug each, logs, and what is wrong with a command line.
. "$LIB"
PLANTED=$(dirname "$WORLD")/../verify/planted.so
OPAQUE=$(dirname "$WORLD")/../verify/planted_opaque.so

# What each strength came to and why, with how many of the eight distances say the same. Where it was restored differs by distance.
outcome() {
    "$TICKPROOF" synctest "$@" > "$SCRATCH/full" 2>&1
    code=$?
    awk '$1 ~ /^(copy|bytes|process)$/ { print "  " $1 ": " $3 }' "$SCRATCH/full" | uniq -c
    grep '^    .*never saved' "$SCRATCH/full"
    grep '^    [a-z]*, distance' "$SCRATCH/full" |
        sed -e 's/, distance [0-9]*//' -e 's/from tick [0-9]* on/from tick N on/' -e 's/gone back to tick [0-9]*/gone back to tick N/' \
            -e 's/ticks [0-9]* to [0-9]* again/ticks N to M again/' -e "s/$MASK/was X, is Y/" | uniq -c
    echo "  exit $code"
}
# Where it matters what was and what is: everywhere but for values that a distance, an address, a clock or a process makes.
masked() {
    MASK='was .*'
    outcome "$@"
    MASK='no such text'
}
MASK='no such text'
bug() {
    echo "{\"bug\":$1,\"from\":40}"
}

timed synctest --world runner --players 4 --bot --ticks 400 --distance 1-3 --strength copy --strength bytes
timed synctest --world runner --players 2 --bot --ticks 20 --distance 1-8
timed synctest --world fighter --players 2 --bot --ticks 50 --distance 8 --strength process --respawn 7 | sed 's/revision [0-9]*/revision R/; s/[0-9]* of the state.s [0-9]*/n of the n/; s/[0-9]* of the ticks/n of the ticks/'
timed synctest --world runner --players 1 --ticks 20 --distance 2 --strength copy
t synctest --world runner --bot --ticks 0 --distance 2 --strength copy --strength process | grep -v '^time'

for i in 0 4 5 8 9 11 13 14; do
    echo "bug $i"
    outcome --world "$PLANTED" --config "$(bug $i)" --ticks 50
done
for i in 1 2 3 6 7 10 12 16 17 18; do
    echo "bug $i"
    masked --world "$PLANTED" --config "$(bug $i)" --ticks 50
done
echo "bug 15"
outcome --world "$PLANTED" --config "$(bug 15)" --ticks 50 --step-timeout 1
# A world that ends its process as if all were well has not answered, and nobody waits for it.
echo "bug 19"
outcome --world "$PLANTED" --config "$(bug 19)" --ticks 50 --step-timeout 0
for i in 0 1 3 4; do
    echo "opaque bug $i"
    masked --world "$OPAQUE" --config "$(bug $i)" --ticks 50
done
echo "opaque bug 2"
masked --world "$OPAQUE" --config "$(bug 2)" --ticks 50 --strength bytes --strength process

# The process strength alone: nothing in the straight run's process has gone back.
for i in 1 2 3 9 17 18; do
    echo "bug $i, process alone"
    masked --world "$PLANTED" --config "$(bug $i)" --ticks 50 --strength process
done

# Interrupted where it waits for a step that never returns: what was asked is not compared, and nothing of it is left behind.
"$TICKPROOF" synctest --world "$PLANTED" --config "$(bug 15)" --ticks 50 --step-timeout 0 --distance 2 > "$SCRATCH/full" 2>&1 &
asked=$!
tries=0
hung=
while test -z "$hung" && test $tries -lt 100; do
    sleep 0.1
    tries=$((tries + 1))
    for child in $(cat "/proc/$asked/task/$asked/children"); do
        hung=$(cat "/proc/$child/task/$child/children" 2> /dev/null)
        # Others come and go; this one uses the processor for good.
        test -z "$hung" || test "$(cut -d ' ' -f 14 "/proc/${hung%% *}/stat" 2> /dev/null || echo 0)" -ge 20 || hung=
    done
done
test -n "$hung" || echo "nothing hung"
kill -INT "$asked"
( sleep 20; kill -KILL "$asked" ) 2> /dev/null &
guard=$!
wait "$asked"
echo "interrupted: exit $?"
kill "$guard" 2> /dev/null
sed -n -e '/^[a-z]* *planted/p' -e '/, distance/p' "$SCRATCH/full"
tries=0
while test -d "/proc/${hung%% *}" && test $tries -lt 50; do
    sleep 0.1
    tries=$((tries + 1))
done
test -d "/proc/${hung%% *}" && echo "it still hangs"

# Logs: one that is well, a fault, what is damaged, and a world that verifies and still cannot go back.
quiet run --world runner --players 2 --bot --ticks 50 -o good.tpr
timed synctest --distance 4 good.tpr
size=$(wc -c < good.tpr)
head -c $((size - 30)) good.tpr > cut.tpr
timed synctest --distance 4 --strength copy cut.tpr
head -c 40 good.tpr > head.tpr
timed synctest --distance 4 --strength copy head.tpr
timed synctest --distance 4 --strength copy nowhere.tpr
quiet run --world "$WORLD" --config '{"fault_tick":30}' --ticks 50 -o fault.tpr 2> /dev/null
timed synctest --world "$WORLD" --distance 1-2 fault.tpr
timed synctest --distance 1-2 --strength copy fault.tpr
quiet run --world "$PLANTED" --config "$(bug 1)" --ticks 50 -o hidden.tpr
quiet verify --world "$PLANTED" hidden.tpr
masked --world "$PLANTED" --strength copy hidden.tpr
grep 'the log: ' "$SCRATCH/full"
masked --world "$PLANTED" --strength process hidden.tpr
grep 'the log: ' "$SCRATCH/full"
t synctest --format json --distance 3 --strength copy good.tpr
t synctest --world "$PLANTED" --config "$(bug 4)" --ticks 50 --distance 2 --strength bytes --format json | sed 's/root":"[0-9a-f]*/root":"R/g'

t synctest
t synctest --world runner --distance 0
t synctest --world runner --distance 8-1
t synctest --world runner --distance 1-x
t synctest --world runner --distance 2000
t synctest --world runner --strength strong
t synctest --world runner --bot --inputs x
t synctest --world runner --world fighter
t synctest --ticks 5 good.tpr
t synctest --seed 0 good.tpr
t synctest --world fighter --players 100 --distance 1-1000 | sed 's/take [0-9]* MiB/take N MiB/'
# What the inputs say of their run holds, where no flag says otherwise.
quiet run --world runner --players 2 --seed 9 --config '{"lead_ms":800}' --bot --ticks 30 -o ruled.tpr
"$TICKPROOF" cat ruled.tpr > ruled.jsonl
timed synctest --world runner --inputs ruled.jsonl --distance 2 --strength copy
timed synctest --world runner --inputs ruled.jsonl --distance 2 --strength copy --seed 9 --players 2 --rate 120 --config '{"lead_ms":800}' | head -1
t synctest --world runner --inputs ruled.jsonl --seed 0
t synctest --world runner --inputs ruled.jsonl --players 1
t synctest --world runner --inputs ruled.jsonl --rate 60
t synctest --world runner --inputs ruled.jsonl --config '{}'
t synctest --world fighter --inputs ruled.jsonl
t synctest --world runner --inputs nowhere.jsonl
echo '{"tick":0,"slots":[]}' | t synctest --world runner --players 1 --inputs - --ticks 2
