# A wrong line is named by file, line and key. What was recorded before it stays, but no log without a tick.
. "$LIB"
line() {
    printf '{"tick":0}\n\n%s\n' "$1" > i.jsonl
    t run --world "$WORLD" --inputs i.jsonl
}
line '{"tick":0}'
line '{"tick":2}'
line '{"tick":"1"}'
line '{"tick":1,"what":1}'
line '{"tick":1,7:1}'
line '{"tick":1,"slots":1}'
line '{"tick":1,"slots":[1]}'
line '{"tick":1,"slots":[{"big":1}]}'
line '{"tick":1,"slots":[{"slot":2}]}'
line '{"tick":1,"slots":[{"slot":0},{"slot":0}]}'
line '{"tick":1,"slots":[{"slot":0,"origin":"me"}]}'
line '{"tick":1,"slots":[{"slot":0,"bigger":1}]}'
line '{"tick":1,"slots":[{"slot":0,"big":1,"big":2}]}'
line '{"tick":1,"slots":[{"slot":0,"big":-1}]}'
line '{"tick":1,"slots":[{"slot":0,"big":18446744073709551616}]}'
line '{"tick":1,"slots":[{"slot":0,"half":0.1}]}'
line '{"tick":1,"slots":[{"slot":0,"half":1.5}]}'
line '{"tick":1,"slots":[{"slot":0,"mode":"odd"}]}'
line '{"tick":1,"slots":[{"slot":0,"mode":3}]}'
line '{"tick":1,"slots":[{"slot":0,"pair":[1,2]}]}'
line '{"tick":1,"slots":[{"slot":0,"pair":[1,2,10]}]}'
line '{"tick":1,"slots":[{"slot":0,"hex":"00"}]}'
line '{"tick":1,"commands":[{"source":"host"}]}'
line '{"tick":1,"commands":[{"source":"host","type":"none"}]}'
line '{"tick":1,"commands":[{"source":9,"type":"raw"}]}'
line '{"tick":1,"commands":[{"source":"host","type":"raw","hex":"0"}]}'
line '{"tick":1,"commands":[{"source":"host","type":"raw","hex":"000000000000000000"}]}'
line '{"tick":1,"commands":[{"source":"host","type":"raw","fields":{"a":1}}]}'
line '{"tick":1,"commands":[{"source":"host","type":"raw","size":1}]}'
line '{"tick":1'
# A string ends at no zero: "tick\u0000x" is not tick.
line '{"tick\u0000x":1}'
line '{"tick":1,"slots":[{"slot":0,"origin":"bot\u0000"}]}'
line '{"tick":1,"slots":[{"slot":0,"origin":"\\u0000"}]}'
# As many keys as a line can hold, all different, or one of them twice: at once.
many() { seq "$1" | sed 's/.*/"k&":1/' | tr '\n' ','; }
printf '{%s"tick":0}\n' "$(many 80000)" > many.jsonl
t run --world "$WORLD" --inputs many.jsonl
printf '{%s"tick":0,"k7":1,"k3":1}\n' "$(many 80000)" > many.jsonl
t run --world "$WORLD" --inputs many.jsonl
printf '{%s"k1":1}\n' "$(many 80000)" > many.json
t run --world "$WORLD" --config many.json
printf '{"rules":{%s"world":"runner"}}\n' "$(many 80000)" > many.jsonl
t import jsonl many.jsonl -o never.tpr
rm many.json many.jsonl
printf '{"tick":0}\n' > i.jsonl
t run --world "$WORLD" --inputs i.jsonl --ticks 2
printf 'x\n' > bad.jsonl
t run --world "$WORLD" --inputs bad.jsonl -o never.tpr
t run --world "$WORLD" --inputs bad.jsonl --force -o never.tpr
echo old > old.tpr
printf '{"tick":0}\nx\n' > bad.jsonl
t run --world "$WORLD" --inputs bad.jsonl --force -o old.tpr
cat old.tpr
t run --world "$WORLD" --inputs bad.jsonl -o one.tpr
timed verify --world "$WORLD" one.tpr
# Inputs without an end, or without a beginning.
(cap_memory; t run --world "$WORLD" --inputs /dev/zero -o never.tpr)
(echo '{"tick":0}'; head -c 1048577 /dev/zero | tr '\0' ' ') | t run --world "$WORLD" --inputs -
(echo '{"tick":0}'; head -c 1048575 /dev/zero | tr '\0' ' '; echo) | timed run --world "$WORLD" --inputs -
head -c 70000 /dev/zero | tr '\0' '\n' | t run --world "$WORLD" --inputs -
printf '\n\n' | t run --world "$WORLD" --inputs - -o never.tpr
t run --world "$WORLD" --inputs /dev/null --ticks 5 -o never.tpr
# Only the rules: for everybody who reads lines.
printf '{"rules":{"world":"runner"}}\n' > rules.jsonl
t run --world runner --inputs rules.jsonl -o never.tpr
t import jsonl rules.jsonl -o never.tpr
t join 127.0.0.1:1 --inputs rules.jsonl
t run --world "$WORLD" --inputs . -o never.tpr
ls -A
