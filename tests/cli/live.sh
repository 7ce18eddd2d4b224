# Clients that play ahead of their server over bad lines, by streams and by datagrams; watchers that are behind; words; and worlds that come to
# differ on purpose.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"

# j FLAG...: what does not depend on time.
j() {
    "$TICKPROOF" join "$@" --format json > said.txt 2> errors.txt
    code=$?
    sed -e "s/$HOST/HOST/" -e 's/[0-9a-f]\{32\}/ROOT/g' errors.txt
    sed -n 's/.*"event":"result","room":"\([^"]*\)","client":\([0-9]*\).*"verdict":"\([a-z]*\)","end":"\([a-z-]*\)".*/\1 \2 \3 \4/p' said.txt
    echo "exit $code"
}

# least KEY NUMBER: a count of every result is at least so much; most: at most.
least() {
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" said.txt | while read -r count; do
        test "$count" -ge "$2" || echo "$1 is $count, less than $2"
    done
}
most() {
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" said.txt | while read -r count; do
        test "$count" -le "$2" || echo "$1 is $count, more than $2"
    done
}

echo '== command lines'
t join 127.0.0.1:1 --window 5
t join 127.0.0.1:1 --input-delay 5
t join 127.0.0.1:1 --predict --window 121
t join 127.0.0.1:1 --predict --input-delay 61
t join 127.0.0.1:1 --behind 5
t join 127.0.0.1:1 --watch --behind 36001
t join 127.0.0.1:1 --loss 101
t join 127.0.0.1:1 --loss 1.2345
t join 127.0.0.1:1 --lag 10001
t join 127.0.0.1:1 --chat ''
t join 127.0.0.1:1 --rejoin-seconds 0

echo '== ahead of the server'
serve --live duel=fighter,players=2 --live lone=runner,players=2 --udp 127.0.0.1:0 --http 127.0.0.1:0 --threads 2
j "$HOST" --room duel --clients 2 --ticks 200 --predict
least ticks 200
most stalls 60
j "$HOST" --room duel --clients 2 --ticks 200 --predict --lag 25 --jitter 5
least rollbacks 1
least events_confirmed 1
j "$HOST" --clients 2 --ticks 200 --predict --input-delay 3 --window 12 --lag 20
j "$DATAGRAMS" --udp --clients 2 --ticks 200 --predict
j "$DATAGRAMS" --udp --room duel --clients 2 --ticks 200 --predict --lag 20 --jitter 5 --loss 5 --net-seed 3
least rollbacks 1
j "$DATAGRAMS" --udp --clients 2 --ticks 200 --lead 4 --loss 10

echo '== over a WebSocket'
j "ws://$WEB" --clients 2 --ticks 200 --predict
j "ws://$WEB/play" --room duel --clients 2 --ticks 100
least ticks 100
j "ws://$WEB" --room duel --clients 2 --ticks 200 --predict --lag 20 --jitter 5 --loss 5 --net-seed 3
least rollbacks 1
t join "wss://$WEB" | sed "s|$WEB|WEB|g"
t join "ws://$WEB/nowhere" | sed "s|$WEB|WEB|g"
t join "ws://$WEB" --udp
t join ws://nothing
t join "ws://127.0.0.1:1/a b"

echo '== behind it'
"$TICKPROOF" join "$HOST" --room lone --players 2 --seconds 3 > player.txt &
player=$!
sleep 0.5
j "$HOST" --room lone --watch --behind 60 --ticks 100
j "$HOST" --room lone --watch --predict --ticks 100
wait $player
stop
"$TICKPROOF" verify rec > report.txt
echo "verify: exit $?"

echo '== words'
serve --live pair=runner,players=2
"$TICKPROOF" join "$HOST" --ticks 240 > heard.txt &
hearer=$!
seen room.join
j "$HOST" --ticks 60 --chat 'good luck, and have fun'
wait $hearer
grep -v agreed heard.txt
stop
grep -o '"slot":[0-9]*,"message":"good luck, and have fun"' events.txt

echo '== differing on purpose'
for policy in resync kick; do
    serve --live pair=runner,players=1,on_desync=$policy
    j "$HOST" --ticks 300 --predict --plant-desync 100
    sed -n 's/.*"desyncs":\([0-9]*\).*"tick":\([0-9]*\),.*/\1 desync, at tick \2/p' said.txt
    seen room.bundle
    ls rec | sed 's/slot[0-9]*/slotN/'
    stop
done
serve --live pair=runner,players=1,rejoin_seconds=0
j "$HOST" --ticks 30 --plant-desync 0
stop
