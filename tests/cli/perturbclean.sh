# Perturbing and observing never changes a clean result: along every axis the sidecar of each built-in world is the same, byte for byte; and
# `perturb` finds nothing to say.
. "$LIB"
for world in runner fighter realm; do
    "$TICKPROOF" run --world $world --bot --ticks 300 --seed 7 -o $world.tpr > /dev/null 2>&1 || echo "exit $?"
    "$TICKPROOF" trace $world.tpr -o $world.tpt || echo "exit $?"
    for axis in block=16 block=1048576 slack=0x00 slack=0xA5 stack=0xFF heap=0xA5 heap=0xFF place=100 locale=comma tz=XXX+11 restore=1 restore=7 carry=3 \
        observer=on touch=all threads=3:$world.tpr before=runner.tpr rounding=up rounding=zero pad=x; do
        "$TICKPROOF" trace $world.tpr -o other.tpt --force --perturb $axis 2> said.txt || { grep -q 'not to be had here' said.txt && continue; cat said.txt; }
        cmp -s $world.tpt other.tpt || echo "$world: $axis: another sidecar"
    done
    for thread in 1 2; do
        cmp $world.tpt $world.tpr.$thread.tpt
    done
    "$TICKPROOF" trace $world.tpr -o other.tpt --force --perturb restore=5 --perturb carry=9 --perturb observer=on --perturb stack=1 --perturb touch=all || echo "exit $?"
    cmp $world.tpt other.tpt
    "$TICKPROOF" perturb $world.tpr runner.tpr > full.txt 2>&1
    echo "$world: exit $?"
    grep 'FLIPS\|FAILED' full.txt
    tail -1 full.txt | sed 's/^[0-9]* same, \([0-9]* flip\).*/\1/'
done
t perturb --list
