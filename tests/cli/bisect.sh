# Two builds of a world, or a program and a command, down to the field. CONTRACT is a folder with builds of one world.
. "$LIB"
cp "$CONTRACT"/contract_*.so "$CONTRACT"/partialhash_*.so .
i=0
while [ $i -lt 300 ]; do
    force=$((i < 40 ? 0 : i % 13 - 6))
    echo "{\"tick\":$i,\"slots\":[{\"slot\":0,\"force\":$force},{\"slot\":1,\"force\":0}]}"
    i=$((i + 1))
done > inputs.jsonl
quiet run --world ./contract_off.so --inputs inputs.jsonl --ticks 300 -o a.tpr
# What a machine, its shell and its sanitizers say is theirs.
bisect() {
    "$TICKPROOF" bisect "$@" > said 2>&1
    code=$?
    sed -e "s|$TICKPROOF|PROGRAM|g" -e 's/; equal before: crashed$/; equal before/; s/; equal before: ended by signal .*/; equal before/' \
        -e 's/\(exit code 1[0-9]*)*\): .*/\1/' -e '/world\.hash/d' -e '/^  both: /d' -e '/^  [^ ].*: program /d' said
    echo "exit $code"
}
W="--world ./contract_off.so --world"

# Contraction, where this processor can do it: the place is found without help. The first value that differs is the compiler's choice.
# On one without the instruction this part is left out.
if grep -qsw fma /proc/cpuinfo || test "$(uname -m)" = aarch64; then
    bisect a.tpr $W ./contract_fast.so --source "$SOURCE" > found
    grep -q '^a.tpr, .* diverged: tick [0-9]*: balls\[0\]\.speed is ' found || cat found
    grep -q '^  inputs: {"tick":[0-9]*,"slots":' found || cat found
    grep -q '^  last changed before: tick [0-9]*$' found || cat found
    grep -q 'contractworld.c:9$' found || cat found
    grep -q '^  state before the tick: equal$' found || cat found
    grep -q '^exit 1$' found || cat found
fi
echo "one field"
bisect a.tpr $W ./contract_value.so
bisect a.tpr $W ./contract_value.so --limit 1
bisect a.tpr --world ./contract_off.so --with "$TICKPROOF {} --world ./contract_value.so" | sed -n 1p
bisect - $W ./contract_value.so < a.tpr | sed -n 1,2p
echo "equal"
bisect a.tpr --world ./contract_off.so --with "$TICKPROOF"
bisect a.tpr $W ./contract_off.so
echo "events, faults, crashes, time"
bisect a.tpr $W ./contract_event.so
bisect a.tpr $W ./contract_fault.so
bisect a.tpr $W ./contract_crash.so
bisect a.tpr --timeout 1 $W ./contract_hang.so
echo "a side that crashes without saying where"
cat > crashing <<'END'
#!/bin/sh
# Crashes when it is asked for tick 77 or later.
to=300
for word in "$@"; do
    test "$last" = --to && to=$word
    last=$word
done
test "$to" -lt 77 && exec "$TICKPROOF" "$@"
kill -SEGV $$
END
chmod +x crashing
bisect a.tpr --world ./contract_off.so --with ./crashing
echo "a side that has said all, and does not end"
cat > lingering <<'END'
#!/bin/sh
"$TICKPROOF" "$@"
sleep 600
END
chmod +x lingering
bisect a.tpr --timeout 5 --world ./contract_off.so --with './lingering {} --world ./contract_value.so'
bisect a.tpr --timeout 5 --world ./contract_off.so --with './lingering {} --world ./contract_off.so'
echo "a side that does not repeat itself"
cat > forgetful <<'END'
#!/bin/sh
if test -e ran; then exec "$TICKPROOF" "$@"; fi
touch ran
exec "$TICKPROOF" "$@" --world ./contract_value.so
END
chmod +x forgetful
bisect a.tpr --world ./contract_off.so --with ./forgetful
echo "what a world's own hash does not cover, and what it begins with"
sed 's/,{"slot":1.*/]}/; s/"force":-/"force":/' inputs.jsonl > one.jsonl
quiet run --world ./partialhash_plain.so --players 1 --inputs one.jsonl --ticks 300 -o p.tpr
bisect p.tpr --world ./partialhash_plain.so --world ./partialhash_planted.so
bisect p.tpr --world ./partialhash_plain.so --world ./partialhash_init.so
echo "no sides"
bisect a.tpr --world ./contract_off.so --with /no/such/program
bisect a.tpr --world ./contract_off.so --with 'echo hello; :'
bisect a.tpr --world ./contract_off.so --with false
quiet run --world runner --bot --seed 1 --ticks 30000 -o long.tpr
quiet trace long.tpr -o long.tpt
head -c $(($(wc -c < long.tpt) - 40)) long.tpt > cut.tpt
bisect long.tpr --with 'cat cut.tpt #'
bisect a.tpr --with "$TICKPROOF"
bisect a.tpr --world ./contract_off.so
bisect a.tpr $W ./contract_value.so --with "$TICKPROOF"
bisect a.tpr --with "$TICKPROOF" --source /no/such/folder
bisect a.tpr --with "$TICKPROOF" --format yaml
bisect a.tpr --with ''
bisect no-such.tpr --with "$TICKPROOF"
echo "other forms"
bisect a.tpr $W ./contract_value.so --format github
bisect a.tpr $W ./contract_value.so --format json | sed -n '1s/.*"verdict":"\([a-z]*\)".*/\1/p'
echo "sidecars are not what diff takes"
t diff a.tpt b.tpt
echo "== a command that is ended from outside, or before it has said anything, is no difference"
for how in 'kill -KILL $$ #' 'kill -SEGV $$ #' 'kill -TERM $$ #' 'exit 121; :'; do
    bisect a.tpr --world ./contract_off.so --with "$how" | sed -n '1p; $p'
done
