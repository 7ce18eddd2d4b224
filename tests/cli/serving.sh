# serving.sh: a server for the cases that need one; the program is in TICKPROOFD.

# serve FLAG...: a server with new logs on a port of its own; HOST says where, DATAGRAMS with --udp, and WEB with --http.
serve() {
    rm -rf rec
    serve_on 127.0.0.1:0 "$@"
}

# serve_on ADDRESS FLAG...: the same with the logs that are there.
serve_on() {
    listen=$1
    shift
    rm -f events.txt
    "$TICKPROOFD" --listen "$listen" --json-log --record rec "$@" > results.txt 2> events.txt &
    SERVER=$!
    tries=0
    until grep -q '"server.listening"' events.txt 2> /dev/null || test $tries -ge 400 || ! kill -0 $SERVER; do
        tries=$((tries + 1))
        sleep 0.05
    done
    if ! grep -q '"server.listening"' events.txt; then
        cat events.txt results.txt
        exit 1
    fi
    HOST=127.0.0.1:$(sed -n -e '/"address":"udp /d; /"address":"http /d' -e 's/.*"server.listening".*"port":\([0-9]*\).*/\1/p' events.txt)
    WEB=127.0.0.1:$(sed -n 's/.*"server.listening".*"address":"http .*"port":\([0-9]*\).*/\1/p' events.txt)
    DATAGRAMS=127.0.0.1:$(sed -n 's/.*"server.listening".*"address":"udp .*"port":\([0-9]*\).*/\1/p' events.txt)
}

stop() {
    kill -"${1:-TERM}" $SERVER
    wait $SERVER 2> /dev/null
    echo "server: exit $?"
}

# once_joined COMMAND...: runs it a moment after a client has joined.
once_joined() {
    tries=0
    until grep -q '"room.join"' events.txt || test $tries -ge 400; do
        tries=$((tries + 1))
        sleep 0.05
    done
    sleep 0.3
    "$@"
}

# seen EVENT: waits until the server has said so.
seen() {
    tries=0
    until grep -q "\"$1\"" events.txt || test $tries -ge 400; do
        tries=$((tries + 1))
        sleep 0.05
    done
    grep -q "\"$1\"" events.txt || echo "no $1"
}
