# A world behind a pipe goes through everything a world goes through, and whatever it does wrong is its own fault.
. "$LIB"
ODD="$ODDPIPE good"
export TICKPROOF_WORLD_TIMEOUT_S=30
# What a crashed engine's last line says must not depend on who waits for it.
ask() { timed "$@" | sed -e "s|$ODDPIPE|oddpipe|g" -e 's/, root [0-9a-f]*//' -e 's/, [^,]* [0-9]* bytes$/, a log/' -e '/^[0-9.]* s, /d' -e '/^time /d'; }
i=0
while [ $i -lt 120 ]; do
    echo "{\"tick\":$i,\"slots\":[{\"slot\":0,\"push\":$((i % 100 - 50))}]}"
    i=$((i + 1))
done > inputs.jsonl
sed '61s/"push":[-0-9]*/"push":99/' inputs.jsonl > other.jsonl
quiet run --world-cmd "$ODD" --players 1 --inputs inputs.jsonl --keyframes 40 -o a.tpr
quiet run --world "cmd:$ODD" --players 1 --inputs inputs.jsonl --keyframes 40 -o b.tpr
cmp a.tpr b.tpr
quiet run --world-cmd "$ODD" --players 1 --inputs other.jsonl --keyframes 40 -o c.tpr
ask worlds --world-cmd "$ODD" odd
ask verify --world-cmd "$ODD" a.tpr b.tpr
ask verify --world-cmd "$ODD" --from 50 --to 100 a.tpr
ask verify --world-cmd "$ODD" --prove=10 a.tpr | sed 's/[0-9]* of [0-9]*$/n of n/; s/[0-9]* of [0-9]* runs/n of n runs/'
ask verify a.tpr
ask synctest --world-cmd "$ODD" --distance 1-2 --ticks 30
t dump --world-cmd "$ODD" --tick 60 a.tpr
t diff --world-cmd "$ODD" a.tpr c.tpr
t events --world-cmd "$ODD" a.tpr | head -n 3
t trace --world-cmd "$ODD" a.tpr -o a.tpt
t trace --world-cmd "$ODD" b.tpr -o b.tpt
cmp a.tpt b.tpt
echo "-- another sum in every run: the log of one is not the other's"
quiet run --world-cmd "$ODDPIPE forgets" --players 1 --inputs inputs.jsonl --keyframes 10 -o forgets.tpr
ask verify --world-cmd "$ODDPIPE forgets" forgets.tpr | sed -e 's/root [0-9a-f]*/root R/g' -e 's/expected [0-9a-f]*/expected R/; s/[0-9]* pushes in the log, [0-9]* pushes here/N pushes in the log, M pushes here/' -e 's/[0-9a-f]\{16\}/R/g'
for mode in crash exit refuse kind size more cut events range events-count; do
    echo "-- $mode"
    ask run --world-cmd "$ODDPIPE $mode" --ticks 40 -o "$mode.tpr"
done
# Which question is hurt depends on when the second answer comes.
for mode in twice early; do
    echo "-- $mode"
    ask run --world-cmd "$ODDPIPE $mode" --ticks 40 -o "$mode.tpr" | sed 's/: it spoke before it was asked\|: it answers with kind .*/: out of turn/'
done
echo "-- hang"
TICKPROOF_WORLD_TIMEOUT_S=2 ask run --world-cmd "$ODDPIPE hang" --ticks 40 -o hang.tpr
echo "-- a fault is part of the log, and the same again is verified; without it it is another run"
ask verify --world-cmd "$ODDPIPE crash" crash.tpr
ask verify --world-cmd "$ODD" crash.tpr | sed 's/; its inputs.*//'
for mode in version no-json hello-size key state-max no-init no-save; do
    echo "-- $mode"
    ask run --world-cmd "$ODDPIPE $mode" --ticks 40 -o "$mode.tpr"
done
echo "-- another hello from the second process"
ODDPIPE_MARK=mark ask synctest --world-cmd "$ODDPIPE changes" --ticks 10 --distance 1
echo "-- the shell's own words are no programs"
for own in exec eval command; do ask worlds --world-cmd "$own $ODD" odd | head -n 1; done
echo "-- no such program"
ask run --world-cmd ./nothing-of-that-name --ticks 1 -o none.tpr | sed 's/; its last words.*//'
ask run --world-cmd '' --ticks 1 -o none.tpr
ask run --world-cmd
