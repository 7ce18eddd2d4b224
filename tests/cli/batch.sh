# What a batch says: shards, their reports, a budget, a journal, patterns, and each refusal in one line. test_batch.py has the faults.
. "$LIB"
mkdir logs reports
for seed in 1 2 3 4; do
    quiet run --world runner --bot --seed $seed --ticks ${seed}00 -o logs/$seed.tpr
done
"$MAKESERIES" logs/s 3 50 || echo "exit $?"
timed verify --shard 1/2 --report reports/1.jsonl logs
timed verify --shard 2/2 --report reports/2.jsonl logs
timed merge reports
timed merge -q --format github 'reports/*.jsonl'
timed verify --shard 8/8 --report reports/8.jsonl logs
timed merge reports
t merge reports/1.jsonl
t merge reports/2.jsonl reports/2.jsonl
t merge reports/1.jsonl reports/2.jsonl logs/1.tpr
head -c 900 reports/2.jsonl > torn.jsonl
t merge reports/1.jsonl torn.jsonl
sed 's/"checked":300/"checked":299/' reports/2.jsonl > edited.jsonl
t merge reports/1.jsonl edited.jsonl
sed "s/runner/rummer/" reports/2.jsonl > edited.jsonl
t merge reports/1.jsonl edited.jsonl
"$TICKPROOF" verify --shard 1/2 --report other.jsonl logs/1.tpr logs/2.tpr > /dev/null
t merge other.jsonl reports/2.jsonl
t merge none
t merge
t merge --format yaml reports
t verify --shard 3/2 logs
t verify --shard 2 logs
t verify --shard 1/2 -
t verify --shard 1/2 --follow logs
t verify --report logs/1.tpr logs
t verify --report . logs
t verify --resume logs/1.tpr logs
t verify --resume j --report j logs
t verify --resume j --world-cmd true logs
t verify --budget 0 logs
timed verify --budget 600 --resume j 'logs/[1-3].tpr'
"$TICKPROOF" verify --resume j logs | sed -n 's/.*, \([0-9]* of the files done before\), .*/\1/p'
t verify --resume j --to 20 logs
t verify 'logs/*.log'
