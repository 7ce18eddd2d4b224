# Clients on a real server: rooms are listed and played, every tick agrees with what the server recorded, and each way a membership can
# end has its exit code.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"

# j FLAG...: joins; what does not depend on time, and the exit code.
j() {
    "$TICKPROOF" join "$HOST" "$@" > said.txt 2> errors.txt
    code=$?
    sed -e 's/"joined":[0-9]*/"joined":T/' -e 's/"last":[0-9]*/"last":T/' -e 's/"last_durable":[0-9nul]*/"last_durable":T/' \
        -e 's/[0-9a-f]\{32\}/ROOT/g' said.txt
    sed -e "s/$HOST/HOST/" -e 's/[0-9a-f]\{32\}/ROOT/g' errors.txt
    echo "exit $code"
}

# value KEY: of the first line that was said.
value() {
    sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" said.txt | tail -1
}

echo '== a room of two clients, one of two slots of one client'
serve --live pair=runner,players=2 --live lone=runner,players=2,seed=9 --live small=fighter,players=2 --durability tick
j --list
j --list --format json
j --room pair --clients 2 --ticks 60 --format json
j --room lone --players 2 --ticks 60 --format json --trace 30 --lead 4 --delay 5 --seed 3
root=$(value root)
last=$(grep '"event":"confirmed"' said.txt | tail -1 | sed 's/.*"tick":\([0-9]*\).*/\1/')
j --room small --room lone --watch --ticks 1 --format json --connect-timeout 9 &
watcher=$!
"$TICKPROOF" join "$HOST" --room small --room lone --seconds 2 > /dev/null || echo "exit $?"
wait $watcher

echo '== refusals'
j --room pair --players 3
j --room nobody
stop
t verify rec | grep -c '^verified  *[0-9]*/'
"$TICKPROOF" cat --from "$last" --to "$last" rec/lone.tpr > line.txt
# The log keeps the first 8 bytes of what the client was told.
grep -q "\"root\":\"$(echo "$root" | cut -c 1-16)\"" line.txt && echo 'the same root'

echo '== inputs from a file'
quiet run --world runner --bot --players 2 --ticks 40 -o played.tpr
"$TICKPROOF" cat played.tpr > inputs.jsonl
serve --live pair=runner,players=2
j --players 2 --inputs inputs.jsonl --format json --lead 20
sed 30d inputs.jsonl > hole.jsonl
# What is wrong with them is said once, and costs nobody a slot.
j --players 2 --inputs hole.jsonl
sed '30s/"edges":[0-9]*/"edges":999/' inputs.jsonl > range.jsonl
j --players 2 --inputs range.jsonl
sed '30s/"edges":[0-9]*/"edge":1/' inputs.jsonl > key.jsonl
j --players 2 --inputs key.jsonl
sed '30s/"tick":/"tick"/' inputs.jsonl > json.jsonl
j --players 2 --inputs json.jsonl
: > empty.jsonl
j --players 2 --inputs empty.jsonl
j --players 2 --inputs missing.jsonl
j --players 2 --inputs .
j --players 2 --inputs - --format json < inputs.jsonl
stop
grep -c '"room.join"' events.txt
"$TICKPROOF" cat rec/pair.tpr | grep -c '"origin":"received"' > count.txt
test "$(cat count.txt)" -ge 20 || echo "only $(cat count.txt) of 40 ticks have inputs that were received"

echo '== worlds that are not here, are others, or fault'
quiet run --world "$WORLD" --ticks 200 -o counted.tpr
"$TICKPROOF" cat --world "$WORLD" counted.tpr > counted.jsonl
serve --world "$WORLD" --live count=hangworld,seed=4,on_desync=kick --live fault=hangworld,config.fault_tick=30
j --room count --watch
j --room count --world "$WORLD"
HANGWORLD=diverge
export HANGWORLD
j --room count --world "$WORLD" --inputs counted.jsonl > drift.txt
unset HANGWORLD
sed -e 's/joined at tick [0-9]*/joined at tick T/' -e 's/, [0-9]* confirmed.*sent/, N confirmed/' -e 's/tick 5[0-9]/tick 50/' drift.txt
j --room fault --world "$WORLD" --inputs counted.jsonl --format json | sed 's/"inputs":[0-9]*/"inputs":N/'
stop

echo '== a quiet one is heard, and nothing is no agreement'
serve --live watched=runner --silence-ms 1000 --live later=runner,players=2,start_players=2
j --room watched --watch --seconds 3
j --room later --ticks 5 --seconds 1 --format json | sed 's/"inputs":[0-9]*/"inputs":N/'
j --room watched --ticks 0
j --room watched --seconds 0
stop

echo '== ends'
serve --live pair=runner,players=2
once_joined kill -TERM $SERVER &
j --format json | sed 's/"confirmed":[0-9]*,"inputs":[0-9]*/"confirmed":N,"inputs":N/'
wait
serve --live pair=runner,players=2 --durability tick
once_joined kill -KILL $SERVER &
j --format json --trace 1 > killed.txt
wait
sed -e '/"result"/!d' -e 's/"confirmed":[0-9]*,"inputs":[0-9]*/"confirmed":N,"inputs":N/' killed.txt
sed '1,/"result"/d' killed.txt
# What was durable when the client last heard of it is in the log.
durable=$(value last_durable)
"$TICKPROOF" verify rec/pair.tpr > report.txt
echo "verify: exit $?"
kept=$(sed -n 's/^truncated  *\([0-9]*\).*/\1/p' report.txt | head -1)
test "$kept" -gt "$durable" || echo "durable to tick $durable, but $kept ticks are kept"
serve --live pair=runner,players=2
"$TICKPROOF" join "$HOST" --players 2 > said.txt &
client=$!
once_joined kill -INT $client
wait $client
echo "exit $?"
sed 's/joined.*sent/joined/' said.txt
stop
serve --live pair=runner,players=2
"$TICKPROOF" join "$HOST" --ticks 1000000 2>&1 > said.txt &
client=$!
once_joined kill -TERM $client
wait $client
echo "exit $?"
stop
grep -c '"room.leave".*"asked"' events.txt

echo '== a world of a megabyte and more: joined at its start, and late, without a flag'
serve --live land=realm,players=3,seed=4
"$TICKPROOF" join "$HOST" --players 2 --ticks 90 > early.txt 2>&1 &
client=$!
once_joined j --players 1 --ticks 40 --format json | sed 's/"inputs":[0-9]*/"inputs":N/'
wait $client
echo "exit $?"
stop
"$TICKPROOF" verify rec/land.tpr > report.txt
echo "verify: exit $?"
serve --live land=realm,players=3,seed=4 --send-queue-bytes 262144
# What may wait for one client is less than its state has, which is sent as it is read.
j --ticks 10 | sed 's/, durable to [0-9]*//'
stop

echo '== no server'
"$TICKPROOF" join "$HOST" 2>&1 | sed "s/$HOST/HOST/"
