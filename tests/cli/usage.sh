# Every wrong command line is one line that names the flag, and 2.
. "$LIB"
t
t bogus
t help bogus
for command in run verify info cat dump events cues diff worlds join import; do
    t $command --no-such-flag
done
t run
t run --world nowhere
t run --world runner operand
t run --world runner --seed
t run --world runner --seed 12x
t run --world runner --seed 18446744073709551616
t run --world runner --seed=-1
t run --world runner --ticks 0x
t run --world runner --players 1000
t run --world runner --players 9
t run --world runner --rate 0
t run --world runner --rate 60
t run --world runner --bot=3
t run --world runner --bot --inputs x
t run --world runner --inputs missing.jsonl
t run --world runner --hash md5
t run --world runner --root-bytes 3
t run --world runner --run-ticks 257
t run --world runner --durability maybe
t run --world runner --slot-name 3
t run --world runner --slot-name 1=Ann
t run --world runner --players 2 --slot-name 0=Ann --slot-name 1=Bo --slot-name 0=Cy
t run --world runner --slot-name 128=Ann
t run --world runner -z
t run --world "$WORLD" --bot
t run --world ./missing.so
t verify
t verify --format xml x.tpr
t verify --jobs 0 x.tpr
t verify --from 5 --to 4 x.tpr
t verify --trusted-key missing.key x.tpr
echo 00ff > short.key
t verify --trusted-key short.key x.tpr
t verify --prove --follow x.tpr
t verify .
touch empty.list
t verify @empty.list
t verify @missing.list
for command in info cat events cues; do
    t $command
    t $command missing.tpr
    test $command = info || t $command --from 5 --to 4 missing.tpr
done
t dump missing.tpr
t dump --tick 1
t dump --tick 1 missing.tpr
t diff one
t diff one two
t diff one@1 two
t worlds nowhere
t join
t join nowhere
t join ::1:7777
t join [::1]7777
t join :7777
t join host:
t join host:0
t join host:65536
t join host:http
t join host:1 host:2
t join --room a --room a host:1
t join --players 0 host:1
t join --clients 0 host:1
t join --lead 0 host:1
t join --watch --players 2 host:1
t join --watch --delay 3 host:1
t join --bot --inputs x host:1
t join --inputs missing.jsonl host:1
t join --inputs . host:1
t join --trace 5 host:1
t join --format xml host:1
t join --connect-timeout 0 host:1
echo text > not.so
t info not.so
