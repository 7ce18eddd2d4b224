# Recordings of every version, made here, become logs that verify; what is wrong is one line and leaves no log; any world's inputs go out and in.
. "$LIB"
slp() { "$MAKESLP" "$1" > "$1.slp" || echo "makeslp $1: exit $?"; }
first_lines() { "$TICKPROOF" cat --no-rules --to "$1" "$2" | sed 's/,"root":"[0-9a-f]*"//'; }
# Neither how the world describes itself nor its revision and roots are this test's affair.
plain() { sed -e 's/ revision [0-9]*, / /' -e 's/ players: .* \([0-9]* ticks, [0-9.]* s at\)/ players: \1/' -e 's/root [0-9a-f]*/root R/g' -e 's/comes to [0-9a-f]*/comes to R/'; }
pick() { "$TICKPROOF" info "$1" | grep -e ' from ' | grep -v -e build; }

echo '== versions'
for version in v0.1 v1.0 v2.0 v3.0 v3.14 three four rollbacks followers eliminated half; do
    slp $version
    "$TICKPROOF" import slp $version.slp -o $version.tpr > said.txt 2>&1 || echo "exit $?"
    plain < said.txt
    timed verify --quiet $version.tpr
done
pick v0.1.tpr
pick v3.14.tpr
pick followers.tpr

echo '== whose frame counts, and who is gone'
"$TICKPROOF" import slp rollbacks.slp --pads - | sed -n '12,20p'
"$TICKPROOF" import slp followers.slp --pads - | head -1
first_lines 0 followers.tpr
"$TICKPROOF" import slp eliminated.slp --pads - | sed -n '13,14p'
"$TICKPROOF" cat --no-rules --from 12 --to 13 eliminated.tpr | grep -o '"slot":[0-9]*' | tr '\n' ' '; echo

echo '== buttons, triggers, dead zone'
slp buttons
quiet import slp buttons.slp -o buttons.tpr
first_lines 24 buttons.tpr | sed 's/.*"slot":1,"origin":"received",\(.*\)}\],"commands":\[\]}/\1/'
quiet import slp buttons.slp --dead-zone 0 -o zone0.tpr
"$TICKPROOF" cat --no-rules --from 14 --to 14 zone0.tpr | sed 's/.*"slot":1,"origin":"received",\(.*\)}\],.*/\1/'
quiet import slp buttons.slp --dead-zone 127 -o zone127.tpr
"$TICKPROOF" cat zone127.tpr | grep -c -v -e '"stick_x":0,"stick_y":0,"c_x":0,"c_y":0}\],"commands"'
t import slp buttons.slp --dead-zone 128 -o never.tpr

echo '== cut'
slp cut
slp growing
t import slp cut.slp -o cut.tpr | plain
timed verify --quiet cut.tpr
pick cut.tpr | grep cut
t import slp cut.slp --allow-cut -o cut2.tpr | plain
t import slp cut.slp -o cut2.tpr
cmp cut.tpr cut2.tpr
t import slp growing.slp -o growing.tpr | plain
head -c 500 cut.slp > early.slp
t import slp early.slp -o never.tpr
head -c 9 cut.slp | t import slp - -o never.tpr
: > empty.slp
t import slp empty.slp -o never.tpr

echo '== refused'
for kind in gap missing nan unfinal; do
    slp $kind
    t import slp $kind.slp -o never.tpr
done
echo 'PK not a recording' > zip.slp
t import slp zip.slp -o never.tpr
t import slp . -o never.tpr
t import slp none.slp -o never.tpr
t import slp v0.1.slp -o v0.1.tpr
t import slp v0.1.slp
t import slp v0.1.slp -o x.tpr --pads x.tpr
# Both by other names: where nothing is yet, where something is, through links, and as a stream.
t import slp v0.1.slp -o x.tpr --pads ./x.tpr
ln -s "$PWD/x.tpr" link.tpr
t import slp v0.1.slp -o link.tpr --pads x.tpr
test ! -e x.tpr || echo 'pads were left'
echo kept > x.tpr
t import slp v0.1.slp -o link.tpr --pads ./x.tpr --force
cat x.tpr
rm x.tpr link.tpr
t import slp v0.1.slp -o /dev/stdout --pads -
t import slp -o x.tpr
t import slp v0.1.slp v1.0.slp -o x.tpr
t import slp v0.1.slp -o never.tpr --slot-name 2=Cy
t import slp v0.1.slp -o never.tpr --hash md5
t import slp v0.1.slp -o never.tpr --root-bytes 2
t import slp v0.1.slp -o never.tpr --seed x
# The config that is named is taken; the rest stays as the file has it.
t info v0.1.tpr | grep config > config.was
quiet import slp v0.1.slp -o hall.tpr --config '{"stage": 0, "rematch_s": 9}'
t info hall.tpr | grep config | diff config.was - | grep '[<>]'
t import slp v0.1.slp -o never.tpr --config '{"stage": 7}'
t import slp v0.1.slp -o never.tpr --config '{"where": 0}'
t import slp - -o never.tpr --config - < v0.1.slp
t import
t import tape x
t import --pads x
t import slp --no-such-flag x
t import jsonl --no-such-flag x
test ! -e never.tpr || echo 'a log was left'

echo '== flags, streams, equal files'
"$TICKPROOF" import slp - -o - < v0.1.slp 2> said.txt > stream.tpr || echo "exit $?"
grep -c ' 24 ticks' said.txt
timed verify --quiet stream.tpr
quiet import slp v0.1.slp --force -o v0.1.tpr
quiet import slp v0.1.slp -o again.tpr
cmp v0.1.tpr again.tpr
quiet import slp v0.1.slp --seed 5 --hash fnv --root-bytes 16 --keyframes 10 --leaves 5 --seal 7 --run-ticks 3 --match final --slot-name 0=Ann -o flags.tpr
t info flags.tpr | grep -e 'match  ' -e 'roots  ' -e 'keyframes' -e 'slot.0.name' -e '= final'
quiet import slp v0.1.slp --pads p.jsonl -o p.tpr
t import slp v0.1.slp --pads p.jsonl
t import slp v0.1.slp --pads p.jsonl --force
wc -l < p.jsonl | tr -d ' '
# Without a log there are no pads, and those that were there stay.
t import slp v0.1.slp --pads lost.jsonl -o v0.1.tpr
t import slp v0.1.slp --pads lost.jsonl -o none/x.tpr
t import slp v0.1.slp --pads lost.jsonl -o lost.tpr --config '{"stage": 7}'
t import slp gap.slp --pads lost.jsonl
echo kept > mine.jsonl
t import slp v0.1.slp --pads mine.jsonl -o none/x.tpr --force
cat mine.jsonl
quiet import slp v0.1.slp --pads mine.jsonl -o v0.1.tpr --force
cmp mine.jsonl p.jsonl
ls -A | grep -e lost -e '^[.]'

echo '== any world out and in'
quiet run --world runner --bot --seed 18446744073709551615 --players 3 --ticks 400 --config '{"lead_ms": 900}' --hash fnv --root-bytes 12 -o a.tpr
"$TICKPROOF" cat a.tpr | t import jsonl - -o b.tpr | plain
"$TICKPROOF" cat a.tpr > a.jsonl
"$TICKPROOF" cat b.tpr | cmp - a.jsonl
head -1 a.jsonl | sed 's/"id":"[0-9a-f]*"/"id":"..."/'
t diff a.tpr b.tpr
quiet run --world "$WORLD" --config '{"fault_tick": 20}' -o f.tpr
"$TICKPROOF" cat --world "$WORLD" f.tpr > f.jsonl
t import jsonl --world "$WORLD" f.jsonl -o f2.tpr | plain
t diff --world "$WORLD" f.tpr f2.tpr
"$TICKPROOF" cat f.tpr 2> /dev/null > hex.jsonl
quiet import jsonl --world "$WORLD" hex.jsonl -o f3.tpr 2> /dev/null
cmp f2.tpr f3.tpr
t import jsonl f.jsonl -o never.tpr
OPAQUE=$(dirname "$WORLD")/opaqueworld.so
quiet run --world "$OPAQUE" --players 2 --ticks 50 -o o.tpr
"$TICKPROOF" cat --world "$OPAQUE" o.tpr | t import jsonl --world "$OPAQUE" - -o o2.tpr | plain
t diff --world "$OPAQUE" o.tpr o2.tpr

echo '== roots that differ'
sed '302s/"edges":0/"edges":2/' a.jsonl > changed.jsonl
t import jsonl changed.jsonl -o changed.tpr | plain
timed verify --quiet changed.tpr
quiet import jsonl --ignore-roots changed.jsonl -o ignored.tpr
cmp changed.tpr ignored.tpr
t import jsonl --seed 8 a.jsonl -o seed.tpr 2>&1 | plain
sed '5s/"root":"[0-9a-f]*"/"root":"xyz"/' a.jsonl | t import jsonl - -o never.tpr
sed '$s/"fault":/"root":/' f.jsonl | t import jsonl --world "$WORLD" - -o fault.tpr | plain
sed '$s/"root":/"fault":/' a.jsonl | t import jsonl - -o fault2.tpr | plain

echo '== roots that are missing'
sed '3,12s/,"root":"[0-9a-f]*"//' a.jsonl | t import jsonl - -o some.tpr | plain
cmp b.tpr some.tpr
sed '3,12s/,"root":"[0-9a-f]*"//' a.jsonl | t import jsonl --ignore-roots - -o some2.tpr | plain
sed -e '3,12s/,"root":"[0-9a-f]*"//' -e '302s/"edges":0/"edges":2/' a.jsonl | t import jsonl - -o some3.tpr | plain

echo '== rules'
rules() { printf '%s\n{"tick":0}\n{"tick":1}\n' "$1" | t import jsonl - -o "${2:-never.tpr}" | plain; }
rules '{"rules":{"world":"runner"}}' hand.tpr
rules '{"rules":{"world":"runner","players":2,"seed":3,"config":{"lead_ms":900}}}' hand2.tpr
rules '{"rules":{"world":"nowhere"}}'
rules '{"rules":{"world":"runner","revision":99}}'
rules '{"rules":{"world":"runner","id":"00000000000000000000000000000000"}}'
rules '{"rules":{"world":"runner","config":{"what":1}}}'
rules '{"rules":{"world":"runner","config":{"lead_ms":1}}}'
rules '{"rules":{"world":"runner","players":9}}'
rules '{"rules":{"world":"runner","players":"2"}}'
rules '{"rules":{"world":"runner","tick_rate_hz":0}}'
rules "$(printf '\n\n{"rules":{"world":"runner","players":0}}')"
rules "$(printf '\n\n{"rules":{"world":"runner","first_tick":3}}')"
printf '{"tick":0}\n' > bare.jsonl
t import jsonl --world runner --players 9 bare.jsonl -o never.tpr
rules '{"rules":{"world":"runner","first_tick":5}}'
rules '{"rules":{"world":"runner","root_bytes":2}}'
rules '{"rules":{"world":"runner","hash":"md5"}}'
rules '{"rules":{"world":"runner","what":1}}'
rules '{"rules":{"world":"runner","seed":1,"seed":2}}'
rules '{"rules":{}}'
rules '{"rules":1}'
rules '{"rules":{"world":"runner"},"tick":0}'
rules '{"tick":0}'
printf '{"tick":0}\n{"rules":{"world":"runner"}}\n' | t import jsonl --world runner - -o never.tpr
printf '{"rules":{"world":"runner"}}\n{"tick":0}\n{"tick":2}\n' | t import jsonl - -o never.tpr
printf '{"rules":{"world":"runner"}}\n' | t import jsonl - -o never.tpr
printf '{"rules":{"world":"runner"\n' | t import jsonl - -o never.tpr
: | t import jsonl - --world runner -o never.tpr
: > nothing.jsonl
t import jsonl nothing.jsonl --world runner -o never.tpr
"$TICKPROOF" cat --from 300 a.tpr | t import jsonl - -o never.tpr
"$TICKPROOF" cat --no-rules --from 300 a.tpr | t import jsonl --world runner --players 3 - -o never.tpr
t import jsonl --world fighter a.jsonl -o never.tpr
t run --world fighter --inputs a.jsonl
t import jsonl a.jsonl
t import jsonl none.jsonl -o never.tpr
t import jsonl --config - - -o never.tpr
test ! -e never.tpr || echo 'a log was left'
