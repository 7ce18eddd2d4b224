# Where a new log goes: what is no file is never replaced, and a log that is cut off stays what it is up to there.
. "$LIB"
RUN="run --world runner --ticks 200"
quiet $RUN -o good.tpr

# A pipe is written through.
mkfifo pipe
cat pipe > piped.tpr &
timed $RUN --force -o pipe
wait $!
cmp piped.tpr good.tpr
test -p pipe && ls -A

# So is a device; where no node can be made or opened, as by others than root, nothing is left to show.
can_make() {
    mknod "$1" c 1 "$2" 2> /dev/null && (true > "$1") 2> /dev/null
}
if can_make null 3; then
    quiet $RUN -o null
    quiet $RUN --force -o null
    test -c null || echo "the device is gone"
fi
rm -f null
if can_make full 7; then
    t $RUN -o full | sed 's/writing [0-9]* bytes/writing N bytes/'
    test -c full || echo "the device is gone"
else
    printf 'tickproof: full: starting the log: writing N bytes at offset 0: No space left on device\nexit 5\n'
fi
rm -f full
"$TICKPROOF" $RUN -o /dev/stdout 2> /dev/null | cmp - good.tpr

# A directory is an error, with a hint or without.
mkdir folder
t $RUN -o folder
t $RUN --force -o folder
t $RUN -o folder/
t $RUN --force -o ''
rmdir folder

# A link stays a link, and its target is written: an old one, and one that is not there yet.
mkdir far
echo old > far/old.tpr
chmod 640 far/old.tpr
ln -s far/old.tpr link.tpr
t $RUN -o link.tpr
cat far/old.tpr
quiet $RUN --force -o link.tpr
readlink link.tpr
cmp far/old.tpr good.tpr
stat -c %a far/old.tpr
ln -s far/new.tpr new.tpr
quiet $RUN -o new.tpr
readlink new.tpr
cmp far/new.tpr good.tpr
(umask 027 && quiet $RUN -o masked.tpr && stat -c %a masked.tpr)
ln -s loop.tpr loop.tpr
t $RUN -o loop.tpr
rm loop.tpr
ls -A far

# Followed while it grows.
"$TICKPROOF" run --world runner --ticks 50000 -o growing.tpr > /dev/null &
child=$!
until test -s growing.tpr || ! kill -0 $child; do :; done
timed verify --follow growing.tpr
wait $child
rm growing.tpr

# Killed without a warning: what is there verifies.
"$TICKPROOF" run --world runner --ticks 100000000 -o killed.tpr > /dev/null 2>&1 &
child=$!
until test "$(stat -c %s killed.tpr 2> /dev/null || echo 0)" -gt 100000 || ! kill -0 $child; do :; done
kill -KILL $child
wait $child 2> /dev/null
"$TICKPROOF" verify -q killed.tpr > /dev/null
echo "killed: exit $?"
"$TICKPROOF" cat killed.tpr 2> /dev/null | head -2000 | wc -l
rm killed.tpr

# A disk that is full, played by a limit on the size of files.
limited() {
    (trap '' XFSZ; ulimit -f 40; t run --world runner --bot --ticks 100000 "$@") | sed 's/writing [0-9]* bytes/writing N bytes/'
}
limited -o short.tpr
"$TICKPROOF" verify -q short.tpr > /dev/null
echo "short: exit $?"
limited --force -o far/old.tpr
cmp far/old.tpr good.tpr
ls -A far
# An interrupt ends the wait for the next line of inputs, and the log with it.
{ printf '{"tick":0,"slots":[{"slot":0}]}\n{"tick":1,"slots":[]}\n'; sleep 5; } | timeout --foreground -s INT 2 "$TICKPROOF" run --world runner --inputs - --ticks 100 -o waited.tpr > /dev/null 2>&1
timed verify waited.tpr
