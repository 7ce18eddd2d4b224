# Sidecars of several machines, which bendtrace makes of one: agreement, votes, leavers, ends, other logs, formats, and what is damaged.
. "$LIB"
BENDTRACE=$(dirname "$WORLD")/bendtrace
bend() { "$BENDTRACE" "$@" || echo "bendtrace: exit $?"; }
# This machine's own words stand in every sidecar. What is compared is not among them.
compare() {
    "$TICKPROOF" compare "$@" > out 2>&1
    code=$?
    sed -e 's/, compiler=[^;]*//; s/: program=[^;]*;/: ABOUT;/' -e "s/ \(gcc\|clang\) [0-9.]*//g" out
    test "$code" -eq 0 || echo "exit $code"
}
quiet run --world runner --bot --seed 1 --ticks 300 -o a.tpr
quiet run --world runner --bot --seed 1 --ticks 299 -o b.tpr
quiet run --world runner --bot --seed 2 --ticks 300 -o c.tpr
for log in a b c; do quiet trace $log.tpr -o $log.tpt; done
bend a.tpt one.tpt arch=1
bend a.tpt two.tpt arch=2
bend a.tpt three.tpt arch=3 root=100 leaf=101 draws=100
bend a.tpt four.tpt arch=4 way=2 root=100 event=100
bend a.tpt late.tpt arch=5 root=200
bend a.tpt short.tpt arch=6 to=50
bend a.tpt fault.tpt arch=7 fault=150
echo "== agreement, also with what the log claims"
compare one.tpt two.tpt a.tpr
compare - two.tpt < one.tpt
echo "== majority, and one that leaves later"
compare one.tpt three.tpt two.tpt late.tpt
echo "== no majority; three ways; one that is not there"
compare one.tpt three.tpt
compare one.tpt three.tpt four.tpt
compare three.tpt one.tpt two.tpt short.tpt
echo "== a fault on one side"
compare one.tpt fault.tpt two.tpt
echo "== shorter, cut off, nothing"
compare one.tpt short.tpt
quiet run --world runner --bot --seed 1 --ticks 30000 -o long.tpr
quiet trace long.tpr -o long.tpt
size=$(wc -c < long.tpt)
head -c $((size - 40)) long.tpt > cut.tpt
compare long.tpt cut.tpt | sed -E 's/(1|2)[0-9]{4}/N/g'
head -c 100 long.tpt > cut.tpt
compare long.tpt cut.tpt
echo "== other logs and rules"
compare a.tpt b.tpt
compare --logs-differ a.tpt b.tpt
compare a.tpt c.tpt
bend a.tpt chain.tpt chain=1
compare a.tpt chain.tpt
echo "== damage: the others are compared all the same"
cp one.tpt cut.tpt
printf 'Z' | dd of=cut.tpt bs=1 seek=60 conv=notrunc 2> /dev/null
printf 'nothing' > none.tpt
printf 'TPTRACE\n\2\0\0\0\0\0\0\0' > new.tpt
compare one.tpt cut.tpt two.tpt | sed 's/byte [0-9]*: unpacking: .*/byte N: unpacking: WHY/'
compare one.tpt none.tpt | sed 's/offset [0-9]*/offset N/'
compare one.tpt new.tpt
compare one.tpt missing.tpt
echo "== directories and lists"
mkdir -p machines/x machines/y machines/none
cp one.tpt machines/x/a.tpt; cp two.tpt machines/y/a.tpt; cp a.tpr machines/y; cp c.tpt machines/x/c.tpt; cp c.tpt machines/y/c.tpt
cp one.tpt machines/x/alone.tpt
compare --by-name machines
compare machines/none one.tpt
printf 'one.tpt\ntwo.tpt\n' > list
compare @list
echo "== formats"
for format in json github; do compare --format $format one.tpt two.tpt three.tpt; done
compare --format json one.tpt none.tpt missing.tpt | sed 's/offset [0-9]*/offset N/'
echo "== the shorter of two peers' logs is held to its end, and the report does not call everything fine"
quiet run --world runner --bot --seed 1 --ticks 250 -o early.tpr
quiet trace early.tpr -o early.tpt
bend early.tpt early.tpt arch=8
for format in json github; do compare --logs-differ --format $format one.tpt two.tpt early.tpt; done
echo "== usage"
compare one.tpt
compare --format xml one.tpt two.tpt
compare --show one.tpt two.tpt
compare --show missing.tpt
compare
echo "== one file twice"
cp a.tpt once.tpt
t compare once.tpt ./once.tpt
mkdir both && cp a.tpt both
ln both/a.tpt both/b.tpt
t compare --by-name both both
t compare both
