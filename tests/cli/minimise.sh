# Making a log smaller: a difference that needs three inputs out of 72,000, other kinds of second sides, what does not reproduce, what is wrong with a
# command line.
. "$LIB"
cp "$(dirname "$WORLD")/threeinputs.so" good.so
cp "$(dirname "$WORLD")/threeinputs_planted.so" bad.so
cp good.so same.so
PLANTED=$(dirname "$WORLD")/../verify/planted.so

# Without how many trials it took, and the time.
m() {
    "$TICKPROOF" minimise "$@" > "$SCRATCH/full" 2>&1
    code=$?
    sed -e '/^[0-9]* trials*, [0-9.]* s$/d' -e "s|$TICKPROOF|TICKPROOF|g" -e "s|$WORLD|WORLD.so|g" "$SCRATCH/full"
    echo "exit $code"
}
verdict() {
    "$TICKPROOF" verify "$@" > "$SCRATCH/full" 2>&1
    echo "verify: exit $?, $(head -1 "$SCRATCH/full" | sed 's/  */ /g')"
}

echo "== three inputs"
"$TICKPROOF" run --world ./good.so --bot --ticks 36000 -o long.tpr > /dev/null
m long.tpr -o small.tpr --world ./good.so --world ./bad.so --seconds 0
verdict --world ./good.so small.tpr
verdict --world ./bad.so small.tpr
"$TICKPROOF" run --world ./good.so --bot --seed 1 --ticks 400 -o short.tpr > /dev/null
echo "== their ticks kept, as JSON"
"$TICKPROOF" minimise short.tpr -o kept.tpr --world ./good.so --world ./bad.so --seconds 0 --keep-ticks --same-field --format json > json.txt
echo "exit $?"
sed -e 's/"trials":[0-9]*/"trials":N/' -e 's/"seconds":[0-9.]*/"seconds":S/' json.txt
python3 -m json.tool json.txt > /dev/null || echo "no JSON"
"$TICKPROOF" cat --world ./good.so kept.tpr | grep -c '"code":4711\|"code":815\|"code":31337'
echo "== two sides that agree"
m short.tpr -o none.tpr --world ./good.so --world ./same.so
test -e none.tpr && echo "it is there"
echo "== a command"
m small.tpr -o command.tpr --world ./good.so --with "'$TICKPROOF' {} --world ./bad.so"
m small.tpr -o command2.tpr --world ./good.so --with "'$TICKPROOF'"
m small.tpr -o command3.tpr --world ./good.so --with "exit 3; echo {}"
echo "== one of this program's axes"
m small.tpr -o axis.tpr --world ./good.so --perturb stack=0xA5
echo "== a coin"
cat > coin.sh <<'END'
n=$(cat count)
echo $((n + 1)) > count
if test $((n % 2)) -eq 0; then exec "$TICKPROOF" "$@" --world ./bad.so; else exec "$TICKPROOF" "$@"; fi
END
echo 0 > count
m small.tpr -o coin.tpr --world ./good.so --with "sh ./coin.sh"
echo "== a coin that falls at the end"
sed 's/n % 2/n \/ 12/' coin.sh > late.sh
echo 0 > count
m short.tpr -o coin.tpr --world ./good.so --with "sh ./late.sh" --seconds 5
test -e coin.tpr && echo "it is there"
echo "== interrupted: the best so far"
cat > stop.sh <<'END'
n=$(cat count)
echo $((n + 1)) > count
test "$n" -eq 20 && kill -INT "$1"
shift
exec "$TICKPROOF" "$@" --world ./bad.so
END
echo 0 > count
m short.tpr -o stopped.tpr --world ./good.so --with 'sh ./stop.sh $PPID' --seconds 0 > "$SCRATCH/stopped"
grep -c interrupted "$SCRATCH/stopped"
tail -1 "$SCRATCH/stopped"
verdict --world ./good.so stopped.tpr | sed 's/[0-9]*\/[0-9]* ticks/fewer ticks/'
m stopped.tpr -o further.tpr --world ./good.so --world ./bad.so --seconds 0 | sed -n 's/.* -> /-> /p'
echo "== a side that crashes, hangs, faults"
"$TICKPROOF" run --world "$WORLD" --players 2 --ticks 100 -o hang.tpr > /dev/null
m hang.tpr -o crash.tpr --world "$WORLD" --with "HANGWORLD=crash '$TICKPROOF'" | sed 's/ (crash.*//'
verdict --world "$WORLD" crash.tpr
m hang.tpr -o stuck.tpr --world "$WORLD" --with "HANGWORLD=hang '$TICKPROOF'" --timeout 1 --keep-ticks | sed 's/: not done.*//'
verdict --world "$WORLD" stuck.tpr
echo "== no side that comes back is no agreement"
HANGWORLD=crash m hang.tpr -o none.tpr --world "$WORLD" --perturb heap=0xA5 | sed 's/the log: .*/the log/'
HANGWORLD=hang m hang.tpr -o none.tpr --world "$WORLD" --perturb heap=0xA5 --timeout 1 | sed 's/the log: .*/the log/'
echo "== interrupted before the first answer: nothing is known, so nothing is written"
m short.tpr -o none.tpr --world ./good.so --with 'kill -INT $PPID; exec sleep 5; :'
test -e none.tpr && echo "it is there"
echo "== going back"
"$TICKPROOF" run --world "$PLANTED" --config '{"bug":1,"from":40}' --players 2 --bot --ticks 300 -o planted.tpr > /dev/null 2>&1 ||
    "$TICKPROOF" run --world "$PLANTED" --config '{"bug":1,"from":40}' --players 2 --ticks 300 -o planted.tpr > /dev/null
m planted.tpr -o back.tpr --world "$PLANTED" --synctest
m short.tpr -o none.tpr --world ./good.so --synctest --seconds 1 | head -1 | cut -c1-60
echo "== its own record"
m short.tpr -o cut.tpr --world ./bad.so --against-record
verdict --world ./bad.so cut.tpr
m short.tpr -o cut2.tpr --world ./good.so --against-record
head -c $(($(wc -c < short.tpr) * 2 / 3)) short.tpr > torn.tpr
m torn.tpr -o cut3.tpr --world ./good.so --against-record
echo "== command lines"
t minimise short.tpr -o x.tpr
t minimise short.tpr --world ./good.so --world ./bad.so
t minimise short.tpr -o small.tpr --world ./good.so --world ./bad.so
t minimise short.tpr -o x.tpr --world ./good.so --synctest --perturb stack=1
t minimise short.tpr -o x.tpr --world ./good.so --against-record --fixture x.c
t minimise short.tpr -o x.tpr --world ./good.so --synctest --same-field
t minimise short.tpr -o x.tpr --with "'$TICKPROOF'"
t minimise nothing.tpr -o x.tpr --with "'$TICKPROOF'"
t minimise ./good.so -o x.tpr --with "'$TICKPROOF'"
t minimise short.tpr -o x.tpr --perturb nonsense=1 --world ./good.so | tail -1 | cut -c1-120
