# A reader of standard error that sleeps holds up nothing: the server lists its rooms, ends their logs and leaves. The program of this
# case is tickproof; the server's is in TICKPROOFD.
. "$LIB"

# What fills a pipe of 64 KiB: 400 rooms that say that they are open, and that nobody is there. The reader hears where the server listens, then sleeps.
serve() {
    mkfifo "$1"
    sh -c 'while read -r line; do
        case $line in *server.listening*) echo "$line" > "$2"; break;; esac
    done
    exec sleep 60' reader "$1" "$1.address" < "$1" > /dev/null 2>&1 &
    READER=$!
    env --default-signal=HUP "$TICKPROOFD" --live "a=runner,count=400,players=2" --live busy=runner,players=1,when_empty=run --record "$1.logs" --listen 127.0.0.1:0 \
        --json-log --format json 2> "$1" > "$1.json" &
    SERVER=$!
    tries=0
    until test -s "$1.address" || test $tries -ge 400; do
        tries=$((tries + 1))
        sleep 0.05
    done
    HOST=127.0.0.1:$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$1.address")
}

# ended NAME SIGNAL: what came of the server, though its last words have no reader.
ended() {
    kill -"$2" $SERVER
    wait $SERVER
    echo "server: exit $?"
    kill $READER
    # Rooms where nobody was have no ticks to verify.
    "$TICKPROOF" verify "$1.logs" | grep ' of [0-9]* files$'
    grep -o '"verdict":"[a-z]*","exit":[0-9]*' "$1.json"
}

echo '== stopped'
serve one
"$TICKPROOF" join "$HOST" --list | wc -l | tr -d ' '
quiet join "$HOST" --room a-7 --ticks 20
quiet join "$HOST" --room busy --watch --ticks 2
ended one TERM

echo '== a terminal that is closed'
serve two
quiet join "$HOST" --room busy --watch --ticks 2
ended two HUP

# The last lines come out in order when somebody reads.
echo '== read to the end'
"$TICKPROOFD" --live a=runner,count=3,ticks=5,when_empty=run --listen 127.0.0.1:0 --json-log 2>&1 > /dev/null | grep -o '"server.[a-z_]*"'
