#!/bin/sh
# The server as a program: exit codes, where its words go, own logs that verify, and a stop that costs nothing.
# Usage: tickproofd.sh TICKPROOF TICKPROOFD
tickproof=$(realpath "$1")
tickproofd=$(realpath "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

fail() {
    echo "failed: $1"
    failed=1
}

# expect CODE COMMAND...: output in out and err.
expect() {
    wanted=$1
    shift
    "$@" >out 2>err
    code=$?
    [ $code -eq "$wanted" ] || { fail "exit $code instead of $wanted: $*"; cat out err; }
}

mkdir logs
for seed in 1 2 3; do
    "$tickproof" run --world runner --bot --seed $seed --ticks 2000 -o logs/run$seed.tpr >/dev/null 2>&1 || fail "run $seed"
done

expect 0 "$tickproofd" --help
expect 0 "$tickproofd" --version
expect 2 "$tickproofd"
grep -q '^tickproofd: .*--recorded' err || fail "nothing to host is not said"
expect 2 "$tickproofd" --recorded logs --threads 0
expect 2 "$tickproofd" --recorded logs --bogus
expect 2 "$tickproofd" --recorded logs --real-time --as-fast-as-possible
expect 2 "$tickproofd" --recorded logs --durability sometimes
expect 2 "$tickproofd" --recorded missing.tpr
[ "$(wc -l <err)" -le 2 ] || fail "a missing file takes more than a line"

expect 0 "$tickproofd" --recorded logs --as-fast-as-possible --record own
[ "$(grep -c ' verified ' out)" -eq 3 ] || fail "the table has not three verified rooms"
expect 0 "$tickproof" verify own
before=$(cksum <own/run1.tpr)
expect 0 "$tickproofd" --recorded logs/run1.tpr --as-fast-as-possible --record own
[ "$before" = "$(cksum <own/run1.tpr)" ] && [ -e own/run1.2.tpr ] || fail "an own log was replaced"
expect 0 "$tickproof" verify own

# Of the same run, one byte is another: that room alone is corrupt, and so is the whole.
{ head -c 20000 logs/run1.tpr; printf 'x'; tail -c +20002 logs/run1.tpr; } >bad.tpr
expect 3 "$tickproofd" --recorded logs bad.tpr --as-fast-as-possible --json-log --format json
grep -q '^{"event":"room.done".*"room":"bad".*"verdict":"corrupt"' err || fail "no event tells of the corrupt room"
[ "$(grep -c '"event":"room.done"' err)" -eq 4 ] || fail "not every room is done"
grep -q '"verdict":"corrupt","exit":3}$' out || fail "the results do not name the worst verdict"

rm -f out err # what the last server said must not be taken for this one's
"$tickproofd" --recorded logs --real-time --record stopped --json-log >out 2>err &
server=$!
tries=0
while ! grep -q 'room.open' err && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -TERM $server
wait $server
code=$?
[ $code -eq 5 ] || fail "stopped: exit $code instead of 5"
grep -q '"event":"server.stopping"' err || fail "no event tells of the stop"
for seed in 1 2 3; do
    "$tickproof" info stopped/run$seed.tpr 2>&1 | grep -q 'stopped' || fail "run$seed's own log has no END (stopped)"
done
exit $failed
