# Logs without END get one in a copy; what is kept and lost is said; the log itself stays as it is.
. "$LIB"
keyless() { sed -e 's/[0-9a-f]\{64\}/KEY/g' -e 's/, [0-9]* bytes/, N bytes/' -e 's/: [0-9]* bytes/: N bytes/' -e 's/follows at offset.*/follows/'; }
t keygen -o mine > /dev/null
t keygen -o theirs > /dev/null
quiet run --world runner --bot --seed 5 --ticks 900 --seal 300 --keyframes 400 --sign-key mine.key -o whole.tpr
size=$(stat -c %s whole.tpr)

echo "== a torn tail"
head -c $((size - 2000)) whole.tpr > torn.tpr
cp torn.tpr kept.tpr
timed verify torn.tpr | sed 's/^    //' | head -2
t repair torn.tpr -o repaired.tpr | keyless
cmp torn.tpr kept.tpr
timed verify repaired.tpr | keyless
timed verify --trusted-key mine.pub repaired.tpr | keyless
t info repaired.tpr | grep -e resume -e 'end   ' -e seals -e signer -e state | sed -e 's/[0-9]* bytes were/N bytes were/' | keyless
t info --format json repaired.tpr | grep -o '"resumes":.*"notes"' | sed 's/"cut_bytes":[0-9]*/"cut_bytes":N/'
t repair repaired.tpr -o again.tpr
t repair torn.tpr -o repaired.tpr
t repair torn.tpr -o repaired.tpr --force --sign-key theirs.key | keyless
timed verify --trusted-key theirs.pub repaired.tpr | keyless
cat torn.tpr | "$TICKPROOF" repair - -o piped.tpr --sign-key theirs.key | sed 1d | keyless
cmp repaired.tpr piped.tpr

echo "== cut everywhere"
step=$((size / 40))
for at in $(seq $((4 * step)) $step $((size - 1))); do
    head -c "$at" whole.tpr > cut.tpr
    "$TICKPROOF" repair cut.tpr -o out.tpr --force > said 2>&1 || { echo "at $at"; cat said; }
    ticks=$(sed -n 's/.*kept  ticks 0 to \([0-9]*\),.*/\1/p' said)
    grep -q 'kept  no ticks' said && continue
    "$TICKPROOF" verify out.tpr > said 2>&1 || { echo "at $at"; cat said; }
    grep -q " $((ticks + 1))/$((ticks + 1)) ticks" said || { echo "at $at: $ticks"; cat said; }
done

echo "== nothing to repair, and too little"
t repair whole.tpr -o out2.tpr
head -c 200 whole.tpr > head.tpr
t repair head.tpr -o out2.tpr
: > empty.tpr
t repair empty.tpr -o out2.tpr
echo "this is a text, not a log of any kind" > text.tpr
t repair text.tpr -o out2.tpr
ls out2.tpr 2> /dev/null

echo "== what follows END"
{ cat whole.tpr; head -c 4096 /dev/zero; } > zeroes.tpr
t verify zeroes.tpr | head -1
t repair zeroes.tpr -o out3.tpr
cmp whole.tpr out3.tpr
{ cat whole.tpr; echo more; } > more.tpr
t repair more.tpr -o out4.tpr
t repair more.tpr -o out4.tpr --cut-damage
cmp whole.tpr out4.tpr

echo "== damage in the middle"
{ head -c $((size - 12000)) whole.tpr; printf '\377\377'; tail -c 11998 whole.tpr; } > bent.tpr
t repair bent.tpr -o bent2.tpr | keyless
t repair bent.tpr -o bent2.tpr --cut-damage --sign-key mine.key | keyless
timed verify --trusted-key mine.pub bent2.tpr | keyless
# Its END alone is torn: the INDEX goes with it, and comes again.
{ head -c -304 whole.tpr; tail -c 304 whole.tpr | head -c 200; } > cutend.tpr
t repair cutend.tpr -o out5.tpr | keyless
timed verify out5.tpr | keyless

echo "== refused"
cp torn.tpr same.tpr && ln -s same.tpr link.tpr
t repair same.tpr -o same.tpr --force
t repair same.tpr -o link.tpr --force
t repair same.tpr -o ./same.tpr --force
cmp same.tpr torn.tpr
t repair torn.tpr
t repair -o x.tpr
t repair torn.tpr whole.tpr -o x.tpr
t repair missing.tpr -o x.tpr
t repair torn.tpr -o -
t repair torn.tpr -o nowhere/x.tpr
t repair torn.tpr -o x.tpr --sign-key mine.pub
ls -A | grep '^\.'
