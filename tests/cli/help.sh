# Every command has its help, by flag and by the help command, and they are the same.
. "$LIB"
t --version | sed 's/ [0-9.]* / N /'
t --help
for command in run verify merge synctest info cat dump events cues diff worlds join admin import plot bench trace perturb bisect compare minimise lint keygen token sign seal repair; do
    "$TICKPROOF" $command --help > flag.txt || echo "exit $?"
    "$TICKPROOF" help $command > word.txt || echo "exit $?"
    cmp flag.txt word.txt
    head -1 flag.txt
    awk 'length($0) > 130 { print "too wide: " $0 }' flag.txt
done
