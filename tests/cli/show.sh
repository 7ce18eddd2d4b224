# dump, events, cues, diff.
. "$LIB"
quiet run --world runner --bot --seed 7 --players 2 --ticks 1300 --keyframes 500 -o a.tpr
quiet run --world runner --bot --seed 8 --players 2 --ticks 1300 -o b.tpr
t dump --tick 0 a.tpr | cut -c 1-120
t dump --tick 1300 a.tpr | python3 -m json.tool > one.json
t dump --tick 1300 --pretty a.tpr | python3 -m json.tool | cmp - one.json
t dump --pretty --tick 700 a.tpr | head -8
t dump --tick 1301 a.tpr
t dump --tick 5 - < a.tpr | cut -c 1-60
t events --to 600 a.tpr
t events --from 588 --to 588 a.tpr
t events --from 9999 a.tpr
t cues --to 220 a.tpr
t cues --from 588 --to 588 --format json a.tpr | while read -r line; do echo "$line" | python3 -m json.tool > /dev/null; done
quiet run --world "$WORLD" --ticks 3 -o w.tpr
t cues --world "$WORLD" w.tpr
t cues w.tpr
t dump --tick 2 --world "$WORLD" w.tpr
t diff a.tpr b.tpr
t diff a.tpr@600 a.tpr@600
t diff --limit 2 a.tpr@600 a.tpr@601
t diff a.tpr w.tpr
t cat a.tpr | sed '302s/"edges":0/"edges":2/' > m.jsonl
quiet run --world runner --inputs m.jsonl --seed 7 --players 2 --keyframes 500 -o m.tpr
t diff a.tpr m.tpr
t cat --to 999 a.tpr > s.jsonl
quiet run --world runner --inputs s.jsonl --seed 7 --players 2 --keyframes 500 -o s.tpr
t diff a.tpr s.tpr
