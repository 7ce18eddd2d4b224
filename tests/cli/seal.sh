# A sealed log is the same log in less room: every command reads it as it is, and the raw one comes back.
. "$LIB"
sizes() { sed -e 's/[0-9][0-9.]* of [0-9]* bytes/N of N bytes/' -e 's/[0-9]* bytes, [0-9.]* a tick/N bytes, N a tick/' -e 's/[0-9.]*% of raw/N% of raw/' -e 's/are [0-9]* bytes/are N bytes/' -e 's/: [0-9]* bytes/: N bytes/' -e 's/its byte [0-9]*/its byte N/' -e 's/[0-9a-f]\{64\}/KEY/g'; }
t keygen -o mine > /dev/null
quiet run --world runner --bot --seed 5 --ticks 900 --seal 300 --keyframes 400 --sign-key mine.key -o raw.tpr
cp raw.tpr kept.tpr

echo "== sealed beside"
t seal raw.tpr | sizes
cmp raw.tpr kept.tpr
ls
test $((2 * $(stat -c %s raw.sealed.tpr))) -lt $((2 * $(stat -c %s raw.tpr) * 7 / 10)) || echo "it is not small"
t seal raw.tpr
t seal raw.tpr --force --level 3 --format json | sed 's/:[0-9][0-9]*/:N/g'

echo "== read as it is"
timed verify raw.sealed.tpr | sizes
timed verify --trusted-key mine.pub raw.sealed.tpr | sizes
timed verify --from 500 raw.sealed.tpr | sizes
t info raw.sealed.tpr | grep -e 'size  ' -e signer -e state -e sealed | sizes
t info --format json raw.sealed.tpr | grep -o '"container":[^,]*'
t info --format json raw.tpr | grep -o '"container":[^,]*'
for command in cat events; do
    "$TICKPROOF" "$command" raw.tpr > a 2>&1
    "$TICKPROOF" "$command" raw.sealed.tpr > b 2>&1
    cmp a b
done
"$TICKPROOF" dump --tick 700 raw.tpr > a && "$TICKPROOF" dump --tick 700 raw.sealed.tpr > b && cmp a b
t diff raw.tpr@500 raw.sealed.tpr@500
timed verify - < raw.sealed.tpr | head -1

echo "== and back"
t seal --unseal raw.sealed.tpr
t seal --unseal raw.sealed.tpr -o back.tpr | sizes
cmp back.tpr raw.tpr
t seal --unseal - -o piped.tpr < raw.sealed.tpr | sizes
cmp piped.tpr raw.tpr
cp raw.sealed.tpr other.tpr
t seal --unseal other.tpr | sizes
cmp other.raw.tpr raw.tpr

echo "== in place"
cp raw.tpr one.tpr && cp raw.tpr two.tpr && chmod 640 one.tpr && ln -s two.tpr link.tpr
t seal --in-place one.tpr link.tpr | grep sealed: | sizes
cmp one.tpr two.tpr && stat -c '%a' one.tpr && test -L link.tpr && echo "the link stays"
t seal --in-place one.tpr
t seal --in-place --unseal one.tpr | sizes
cmp one.tpr raw.tpr
t seal - -o from-pipe.tpr < raw.tpr | sed -n 1p
cmp from-pipe.tpr two.tpr
ls -A | grep '^\.'

echo "== refused"
head -c 9000 raw.tpr > torn.tpr
t seal torn.tpr | sizes
{ head -c 5000 raw.tpr; printf x; tail -c +5002 raw.tpr; } > bent.tpr
t seal bent.tpr torn.tpr --in-place | sizes
head -c 3000 raw.sealed.tpr > cut.tpr
timed verify cut.tpr | sizes
t seal --unseal cut.tpr | sizes
{ cat raw.sealed.tpr; printf 'more'; } > longer.tpr
timed verify longer.tpr | sizes
{ head -c 4000 raw.sealed.tpr; printf x; tail -c +4002 raw.sealed.tpr; } > bent.tpr
timed verify bent.tpr | sizes
t info bent.tpr | grep state | sizes
t seal --unseal bent.tpr | sizes
t seal --unseal raw.tpr -o x.tpr
t repair raw.sealed.tpr -o x.tpr
t sign --key mine.key raw.sealed.tpr -o signed.tpr | sed 's/signed by [0-9a-f]*/signed by KEY/'
t info signed.tpr | grep -c 'sealed'
t seal
t seal -o x.tpr raw.tpr two.tpr
t seal -o x.tpr --in-place raw.tpr
t seal --in-place -
t seal --level 23 raw.tpr
t seal --level x raw.tpr
t seal missing.tpr
t seal raw.tpr -o nowhere/x.tpr
t seal raw.tpr -o -
ls x.tpr 2> /dev/null
