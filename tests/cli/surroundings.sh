# Locale, time zone, home and working directory change nothing but the last line.
. "$LIB"
quiet run --world runner --bot --seed 7 --ticks 500 -o a.tpr
mkdir elsewhere
say() {
    "$TICKPROOF" run --world runner --bot --seed 7 --ticks 500 --force -o out.tpr | sed '$d'
    cmp out.tpr "$1"
    "$TICKPROOF" verify out.tpr | sed '$d'
    "$TICKPROOF" info out.tpr
    "$TICKPROOF" cues out.tpr
    "$TICKPROOF" dump --tick 400 out.tpr
}
say a.tpr > 1.txt
(export LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Kathmandu HOME=/nonexistent && say a.tpr) > 2.txt
(cd elsewhere && say ../a.tpr) > 3.txt
env -i TICKPROOF="$TICKPROOF" LIB="$LIB" SCRATCH="$SCRATCH" sh -c '. "$LIB"; "$TICKPROOF" verify a.tpr | sed "\$d"'
cmp 1.txt 2.txt
cmp 1.txt 3.txt
wc -l < 1.txt | awk '{ print ($1 > 30) }'
