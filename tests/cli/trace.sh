# A log's sidecar: what is written, how far it goes, and every way in which it is refused.
. "$LIB"
"$TICKPROOF" run --world runner --seed 3 --ticks 300 --bot -o log.tpr > /dev/null
size() { wc -c < "$1" | tr -d ' '; }

echo '== whole'
t trace log.tpr -o a.tpt
test "$(size a.tpt)" -lt 6000 || echo "300 ticks take $(size a.tpt) bytes"
t trace log.tpr -o b.tpt
cmp a.tpt b.tpt
"$TICKPROOF" trace - -o - < log.tpr > c.tpt
echo "exit $?"
cmp a.tpt c.tpt
head -c 7 a.tpt
echo

echo '== an existing file'
t trace log.tpr -o a.tpt
t trace log.tpr -o a.tpt --force --text host=one
cmp -s a.tpt b.tpt || echo 'another text is another sidecar'

echo '== as far as asked'
t trace log.tpr -o d.tpt --to 99 --states 99,100 --leaves 1
test "$(size d.tpt)" -gt "$(size b.tpt)" && echo 'leaves and states take room'
t trace log.tpr -o e.tpt --to 5000

echo '== a log that is cut off, or damaged'
head -c 3000 log.tpr > cut.tpr
t trace cut.tpr -o cut.tpt | sed 's/offset [0-9]*/offset N/'
test -s cut.tpt && echo 'what was good is there'
cp log.tpr bad.tpr
printf 'X' | dd of=bad.tpr bs=1 seek=2000 conv=notrunc 2> /dev/null
t trace bad.tpr -o bad.tpt | sed 's/offset [0-9]*/offset N/'

echo '== command lines'
t trace
t trace log.tpr
t trace log.tpr other.tpr -o f.tpt
t trace none.tpr -o f.tpt
t trace log.tpr -o none/f.tpt
t trace log.tpr -o f.tpt --states 5,5
t trace log.tpr -o f.tpt --states 1,x
t trace log.tpr -o f.tpt --states 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
t trace log.tpr -o f.tpt --text host
t trace log.tpr -o f.tpt --text Host=x
t trace log.tpr -o f.tpt --leaves -1
t trace log.tpr -o f.tpt --perturb nothing
t trace log.tpr -o f.tpt --world none
t trace log.tpr -o /dev/full
test -e f.tpt && echo 'a refused command line leaves a file'

echo '== a world that is not here, and one that goes wrong'
quiet run --world "$WORLD" --ticks 60 -o hang.tpr
t trace hang.tpr -o g.tpt
test -e g.tpt && echo 'a log that is not for here leaves a file'
t trace hang.tpr -o g.tpt --world "$WORLD"
HANGWORLD=crash "$TICKPROOF" trace hang.tpr -o h.tpt --world "$WORLD" 2>&1
echo "exit $?"
HANGWORLD=diverge "$TICKPROOF" trace hang.tpr -o i.tpt --world "$WORLD" 2>&1
echo "exit $?"
cmp -s g.tpt i.tpt || echo 'another run is another sidecar'
