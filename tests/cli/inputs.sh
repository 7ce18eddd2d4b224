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
t run --world "$WORLD" --inputs . -o never.tpr
ls -A
