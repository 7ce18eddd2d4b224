# A log that grows is followed to its end; an interrupt ends it with a report.
. "$LIB"
quiet run --world runner --bot --ticks 2000 -o whole.tpr
head -c 9000 whole.tpr > growing.tpr
"$TICKPROOF" verify --follow growing.tpr > report.txt 2>&1 &
child=$!
tail -c +9001 whole.tpr | head -c 10000 >> growing.tpr
tail -c +19001 whole.tpr >> growing.tpr
wait $child
echo "exit $?"
sed '$d' report.txt
head -c 9000 whole.tpr > stuck.tpr
timeout --preserve-status -s TERM 1 "$TICKPROOF" verify --follow stuck.tpr whole.tpr > report.txt 2>&1
echo "exit $?"
sed '$d' report.txt
