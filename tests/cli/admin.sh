# An administrator with the server's key: what can be asked of a room, what comes of it there, and every way in which it is refused.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"

# a WORD...: asks; ticks depend on time.
a() {
    "$TICKPROOF" admin "$HOST" "$@" > said.txt 2> errors.txt
    code=$?
    cat said.txt errors.txt | sed -e "s/$HOST/HOST/" -e 's/tick [0-9][0-9]*/tick T/g' -e 's/"tick":[0-9]*/"tick":T/'
    echo "exit $code"
}

echo '== command lines'
t admin
t admin nowhere
t admin 127.0.0.1:1
t admin 127.0.0.1:1 jump arena
t admin 127.0.0.1:1 pause
t admin 127.0.0.1:1 pause arena now
t admin 127.0.0.1:1 kick arena
t admin 127.0.0.1:1 kick arena 128
t admin 127.0.0.1:1 step arena 0
t admin 127.0.0.1:1 step arena 10001
t admin 127.0.0.1:1 speed arena 0
t admin 127.0.0.1:1 speed arena 0.0001
t admin 127.0.0.1:1 speed arena 1.
t admin 127.0.0.1:1 speed arena .5
t admin 127.0.0.1:1 speed arena 1001
t admin 127.0.0.1:1 note arena ''
t admin 127.0.0.1:1 pause arena
t admin 127.0.0.1:1 --list arena
t admin 127.0.0.1:1 pause arena --key-file missing.key
echo 'the right key' > key
chmod 644 key
t admin 127.0.0.1:1 pause arena --key-file key
chmod 600 key
t admin 127.0.0.1:1 pause arena --key-file key
echo 'another key' > other
chmod 600 other

echo '== what is asked'
serve --live arena=runner,players=2,when_empty=run --live land=realm,players=2,when_empty=run --admin-key-file key
a --list
a --key-file key pause arena
a --key-file key step arena 25 --format json
a --key-file key speed arena 2
a --key-file key speed arena 0.25
a --key-file key resume arena
a --key-file key note arena 'the lamp is broken'
a --key-file key command land reload '{"x":3,"y":4}'
a --key-file key command land fail
"$TICKPROOF" join "$HOST" --room arena > player.txt 2>&1 &
player=$!
seen room.join
a --key-file key kick arena 0
wait $player
echo "kicked: exit $?"
a --key-file key end arena
seen room.done

echo '== what is refused'
a --key-file other pause land
a --key-file other pause land --format json
a --key-file key pause nobody
a --key-file key kick land 1
a --key-file key step land 5
a --key-file key command land explode
a --key-file key command land reload '{"z":3}'
a --key-file key command land reload '{"x":300}'
a --key-file key command land reload '{"x":'
a --key-file key pause arena
stop
"$TICKPROOF" verify rec > report.txt
echo "verify: exit $?"
"$TICKPROOF" info rec/arena.tpr | grep -c 'the lamp is broken'
# Whether the two fell into one tick is a matter of time: each is shown for itself.
"$TICKPROOF" cat rec/land.tpr | grep -o '{"source":"host","type":"[a-z]*","fields":{[^}]*}}'

echo '== a server without a key'
serve --live arena=runner
a --key-file key pause arena
stop
