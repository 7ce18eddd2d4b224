# diff on desync bundles: what differs, whom this machine agrees with, and every kind of damage.
. "$LIB"
OPAQUE=$(dirname "$WORLD")/opaqueworld.so
make() {
    mkdir "$1"
    "$MAKEBUNDLE" "$1" "$1" || echo "exit $?"
}
for kind in field server nolog hole lies raw events neither log; do
    echo "== $kind"
    make $kind
    t diff $kind/bundles/duel.tick149.slot1.desync
done
echo '== missing'
make missing
t diff missing/bundles/duel.tick149.watcher.desync
echo '== opaque'
make opaque
t diff --limit 1 --world "$OPAQUE" opaque/bundles/duel.tick149.slot1.desync
echo '== its world is not here'
t diff opaque/bundles/duel.tick149.slot1.desync
t diff --format json opaque/bundles/duel.tick149.slot1.desync

echo '== as an operand'
B=field/bundles/duel.tick149.slot1.desync
t diff --limit 1 $B/bundle.json | tail -5
(cd $B && t diff --limit 1 bundle.json | tail -5)
t diff --limit 0 $B/ | tail -5
t diff --format json $B
t diff --format xml $B
t diff --format json $B/log.tpr $B/log.tpr
t diff .
t diff none

echo '== states open like logs'
t dump --tick 150 $B/server.state | cut -c 1-60
t diff $B/server.state@150 $B/client.state@150
t diff $B/server.state $B/client.state | grep -v provenance
t diff $B/server.state $B/server.state
timed verify $B/server.state
t info $B/client.state | grep -E 'state|records    key'
t cat --no-rules --from 100 $B/log.tpr 2> /dev/null | sed 's/"root":.*//' > log.rows
head -100 $B/inputs.jsonl | grep tick\":1 | sed 's/"root":.*//' > kept.rows
grep -F -x -c -f log.rows kept.rows

echo '== damage, and forgeries'
python3 "$(dirname "$LIB")/bundle_damage.py" "$TICKPROOF" $B
