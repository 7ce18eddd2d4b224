# The fighter: nobody at all through every command, then two that join, leave and hold on to what they press.
. "$LIB"
t worlds fighter | head -30
timed run --world fighter --players 0 --ticks 100 -o none.tpr
timed verify none.tpr
t verify --prove=20 none.tpr > proof; grep -c 'came out right' proof
t info none.tpr | grep -e match -e ticks -e keyframes
t cat --from 99 none.tpr
t dump --tick 100 none.tpr
t events none.tpr
t cues none.tpr
t cat none.tpr > none.jsonl
quiet run --world fighter --players 0 --inputs none.jsonl -o again.tpr
cmp none.tpr again.tpr
t diff none.tpr again.tpr
t run --world fighter --players 101 --ticks 1
python3 - > pads.jsonl <<'X'
for tick in range(120):
    jump = 1 if 20 <= tick < 28 or tick == 60 else 0
    slots = ['{"slot":0,"stick_x":%d}' % (127 if tick < 100 else -64)]
    if 20 <= tick < 110:
        slots.append('{"slot":1,"buttons":%d}' % jump)
    print('{"tick":%d,"slots":[%s]}' % (tick, ",".join(slots)))
X
timed run --world fighter --inputs pads.jsonl -o two.tpr
timed verify two.tpr
t events two.tpr
t cues --from 60 two.tpr
t cat --from 20 --to 20 two.tpr
t dump --tick 61 two.tpr
t diff --limit 4 two.tpr@20 two.tpr@21
sed 's/"stick_x":-64/"stick_x":-128/' pads.jsonl | t run --world fighter --inputs -
sed '1s/"stick_x":127/"buttons":32/' pads.jsonl | t run --world fighter --inputs -
