# A server that is killed and started again goes on with its logs, and clients come back to their slots; those whose connection alone is
# lost, too. What was confirmed past what the server has kept is taken back, and every tick agrees all the same.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"

# counts KEY...: of every result, whether it is more than 0.
counts() {
    for key in "$@"; do
        sed -n "s/.*\"event\":\"result\".*\"$key\":\([0-9]*\).*/\1/p" said.txt | sed -e 's/^[1-9][0-9]*$/some/' -e "s/^/$key /"
    done
}

ends() {
    sed -n 's/.*\("verdict":.*\)/\1/p' said.txt
}

play() {
    "$TICKPROOF" join "$HOST" --format json --trace 1000000 "$@" > said.txt 2> errors.txt &
    CLIENT=$!
}

echo '== killed, and started again'
for how in --lead=2 --predict; do
    serve --live pair=runner,players=2
    play --clients 2 --ticks 600 --rejoin "$how"
    once_joined sleep 1
    stop KILL
    serve_on "$HOST" --live pair=runner,players=2
    wait $CLIENT
    echo "client: exit $?"
    counts rejoins desyncs
    ends
    # Hardly ever is the tick that the server has kept the very last one that a client has seen.
    grep -o '"event":"[a-z]*","room":"pair","client":0' said.txt | sed 's/"rewound"\|"resumed"/"back"/'
    grep '"rewound_ticks":' said.txt | sed 's/.*"rewound_ticks":\([0-9]*\).*/\1/' | while read -r ticks; do
        test "$ticks" -le 200 || echo "$ticks ticks were taken back"
    done
    grep -o '"room.re[a-z]*"' events.txt | sort | uniq -c
    stop
    "$TICKPROOF" verify rec > report.txt
    echo "verify: exit $?"
done

echo '== never started again'
serve --live pair=runner,players=2
play --rejoin-seconds 1
once_joined stop KILL
wait $CLIENT
echo "client: exit $?"
ends

echo '== started again without its logs'
serve --live pair=runner,players=2
play --rejoin --ticks 200
once_joined stop KILL
rm -r rec
serve_on "$HOST" --live pair=runner,players=2
wait $CLIENT
echo "client: exit $?"
ends | cut -d, -f 1-2
stop

echo '== a client that is killed: its slot is kept for a while'
serve --live pair=runner,players=2,rejoin_seconds=1
play
once_joined kill -KILL $CLIENT
wait $CLIENT 2> /dev/null
seen room.away
"$TICKPROOF" join "$HOST" --players 2 --ticks 5 > other.txt 2> /dev/null
echo "both slots at once: exit $?"
seen room.leave
"$TICKPROOF" join "$HOST" --players 2 --ticks 5 > other.txt
echo "both slots later: exit $?"
stop
