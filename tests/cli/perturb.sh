# What flips a world that does one thing wrong, for each thing: the cause that is named, the tick and the field; then what a strict run sees.
. "$LIB"
PERTURBWORLD=$(dirname "$WORLD")/perturbworld.so
TICKPROOF_TEST_VARIABLE=1
export TICKPROOF_TEST_VARIABLE

record() {
    "$TICKPROOF" run --world "$PERTURBWORLD" --ticks 150 --config "{\"fault\":$1}" -o "fault$1.tpr" --force > /dev/null 2>&1 || echo "exit $?"
}

# Cause, place and calls; never the values, which a clock or an address makes.
found() {
    "$TICKPROOF" perturb "$@" --world "$PERTURBWORLD" > "$SCRATCH/full" 2>&1
    echo "  exit $?"
    sed -n -e 's/^cause: /  cause: /p' -e 's/^  \(tick: .*\)/  \1/p' -e 's/^  \(field: .*\)/  \1/p' "$SCRATCH/full"
    sed -n -e 's/^\([a-z ]*: a step calls [^,]*, first at tick [0-9]*\), .*/  \1/p' "$SCRATCH/full" | grep -v '^  note'
    grep -q ': a step calls' "$SCRATCH/full" && { grep -q '^      perturbworld.so(' "$SCRATCH/full" && echo "  with frames of the world"; }
    grep 'FAILED' "$SCRATCH/full"
}

i=0
for fault in none stack heap slack "address of the block" "address on the heap" "address of a global" locale "time zone" clock nanoseconds entropy \
    directory environment leak snapshot cache untold observer "order of threads" "shared between threads" rounding denormals "number of the process"; do
    echo "$fault"
    record $i
    # Which tick it is that threads first come in another way is theirs to say.
    case $fault in
    *threads) found fault$i.tpr | grep 'exit\|cause' | sed 's/ (.*//' ;;
    *) found fault$i.tpr ;;
    esac
    i=$((i + 1))
done

echo "only some axes"
found fault7.tpr --axis tz,locale
found fault7.tpr --axis tz,clock
found fault9.tpr --axis clock=+7200
echo "two logs in one process"
record 14
found fault14.tpr fault0.tpr --axis order
grep order -A 1 "$SCRATCH/full" | sed -n 's/^  order */  /p; s/^   *the other/  the other/p'
echo "another build and another machine"
found fault0.tpr --axis repeat --world "$PERTURBWORLD" --with "$TICKPROOF {} --world $PERTURBWORLD"
found fault0.tpr --axis repeat --with "$TICKPROOF" | sed 's|  machine *[^ ]* *|  machine |'
found fault13.tpr --axis repeat --with "env -u TICKPROOF_TEST_VARIABLE $TICKPROOF {} --world $PERTURBWORLD"
echo "strict"
record 25
record 26
for log in fault0 fault7 fault11 fault14 fault26 fault25; do
    echo "$log"
    found $log.tpr --strict --axis repeat
done
sed -n 's/^\(note: a step calls [a-z]*\),.*/  \1/p' "$SCRATCH/full"
echo "formats"
"$TICKPROOF" perturb fault2.tpr --world "$PERTURBWORLD" --axis heap --format json | python3 -c 'import json, sys
lines = sys.stdin.read()
found = json.loads(lines) if lines.startswith("[") else [json.loads(line) for line in lines.splitlines()]
print(len(json.dumps(found)) > 100)'
"$TICKPROOF" perturb fault2.tpr --world "$PERTURBWORLD" --axis heap --format junit | python3 -c 'import sys, xml.dom.minidom as dom
page = dom.parseString(sys.stdin.read())
print(len(page.getElementsByTagName("testcase")), "cases,", len(page.getElementsByTagName("failure")), "failures")'
echo "usage"
t perturb
t perturb nothing.tpr
t perturb fault0.tpr --axis weather
t perturb fault0.tpr --format yaml
t perturb fault0.tpr --repeat 0
t perturb fault0.tpr --world "$PERTURBWORLD" --axis repeat,repeat --repeat 80
t perturb fault0.tpr --world "$PERTURBWORLD" --axis repeat,repeat --repeat 100
head -c 20 fault0.tpr > torn.tpr
t perturb torn.tpr fault0.tpr --world "$PERTURBWORLD" --axis repeat
t perturb fault0.tpr
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb weather
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb stack=256
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb block=8
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb threads=1:fault0.tpr
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb clock=soon
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb clock=+5 | cut -c 1-60
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb locale=xx_XX
t trace fault0.tpr --world "$PERTURBWORLD" -o x.tpt --perturb before=nothing.tpr
echo "a run that does not come back is no difference, and not good either"
"$TICKPROOF" run --world "$WORLD" --ticks 60 -o hang.tpr > /dev/null 2>&1
t perturb hang.tpr --world "$WORLD" --axis repeat --repeat 1 --timeout 1 --with "env HANGWORLD=hang $TICKPROOF {} --world $WORLD" | sed -n '/FAILED/{s/.*FAILED/FAILED/; s/ s:.*; --/ s; --/; p;}; /exit/p'
echo "what was asked for and could not be done is not fine"
for asked in "--axis locale=xx_XX" "--axis locale=xx_XX,repeat" "--axis repeat --with false" "--axis locale"; do
    "$TICKPROOF" perturb fault0.tpr --world "$PERTURBWORLD" --repeat 1 $asked > asked.txt 2>&1
    echo "$asked: exit $?"
done
"$TICKPROOF" perturb fault0.tpr --world "$PERTURBWORLD" --axis repeat --repeat 1 --with 'exit 121; :' > asked.txt 2>&1
echo "--with 'exit 121': exit $?"
