# A world that is not flat goes through everything but field names: run, record, verify, prove, dump, diff.
. "$LIB"
OPAQUE=$(dirname "$WORLD")/opaqueworld.so
i=0
while [ $i -lt 300 ]; do
    echo "{\"tick\":$i,\"slots\":[{\"slot\":0,\"buttons\":$((i % 7 == 0 ? 1 : i % 11 == 0 ? 2 : 0)),\"stick\":$((i % 200 - 100))}]}"
    i=$((i + 1))
done > inputs.jsonl
quiet run --world "$OPAQUE" --players 2 --inputs inputs.jsonl --ticks 300 --keyframes 100 -o a.tpr
timed verify --world "$OPAQUE" a.tpr
timed verify --world "$OPAQUE" --from 150 --to 250 a.tpr
timed verify --world "$OPAQUE" --prove=20 a.tpr | sed 's/[0-9]* of [0-9]*$/n of n/; s/[0-9]* of [0-9]* runs/n of n runs/'
t dump --world "$OPAQUE" --tick 8 a.tpr
"$TICKPROOF" cat --world "$OPAQUE" a.tpr > again.jsonl
quiet run --world "$OPAQUE" --players 2 --inputs again.jsonl --ticks 300 --keyframes 100 -o b.tpr
cmp a.tpr b.tpr
sed '101s/"stick":[-0-9]*/"stick":127/' again.jsonl > other.jsonl
quiet run --world "$OPAQUE" --players 2 --inputs other.jsonl --ticks 300 --keyframes 100 -o c.tpr
t diff --world "$OPAQUE" a.tpr c.tpr
