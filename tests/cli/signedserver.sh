# A server signs its logs as it records them, also over rotation and after it was killed.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"
keyless() { sed -e 's/[0-9a-f]\{64\}/KEY/g'; }
t keygen -o mine > /dev/null
t keygen -o theirs > /dev/null
host() {
    "$TICKPROOFD" "$@" > results.txt 2> said.txt
    code=$?
    test $code -eq 0 || { echo "exit $code"; cat said.txt; }
}

echo "== refused"
host --live a=runner --sign-key mine.key
host --live a=runner --record own --sign-key missing.key
host --live a=runner --record own --sign-key mine.pub
host --live a=runner --record own --sign-key --check-config
echo '{"record": {"directory": "own"},
 "sign_key": "theirs.pub", "rooms": [{"source": "live", "name": "a", "world": "runner"}]}' > bad.json
chmod 600 theirs.pub
host --config bad.json
ls own 2> /dev/null

echo "== a run of several files"
host --live solo=runner,ticks=1400,when_empty=run,rotate_ticks=600 --listen 127.0.0.1:0 --record own --sign-key mine.key
ls own
timed verify --trusted-key mine.pub own | keyless
timed verify --trusted-key theirs.pub own | tail -2
for log in own/*.tpr; do t info "$log" | grep -e seals -e 'end   ' | sed 's/, root.*//'; done

echo "== by its file, and a log played again"
mkdir conf && cp mine.key conf/sign.key
echo '{"record": {"directory": "again"}, "sign_key": "sign.key", "rooms": [
  {"source": "recorded", "log": "../own/solo.part0001.tpr", "pace": "as-fast-as-possible"}]}' > conf/rooms.json
host --config conf/rooms.json
timed verify --trusted-key mine.pub conf/again | keyless

echo "== killed, and started again"
serve --live pair=runner,when_empty=run --sign-key mine.key
sleep 1.5
stop KILL
t verify rec | head -1 | cut -c 1-9
serve_on 127.0.0.1:0 --live pair=runner,when_empty=run --sign-key mine.key
sleep 0.5
stop
"$TICKPROOF" verify --trusted-key mine.pub rec > report.txt
echo "verify: exit $?"
t info rec/pair.tpr | grep -c resume
