# What is read as a log: files, pipes and standard input. Devices never end, and in a folder only files count.
. "$LIB"
quiet run --world runner --ticks 200 -o a.tpr
(
    cap_memory
    for command in info cat events cues verify; do
        timed $command /dev/zero | grep -v '^checked\|^$'
    done
    timed info /dev/full
    timed info - < /dev/zero
    timed dump --tick 1 /dev/null
)
t info .
mkfifo pipe.tpr
cat a.tpr > pipe.tpr &
timed verify pipe.tpr
wait $!
cat a.tpr | timed verify -
timed verify - < a.tpr
# The pipe in the folder has no writer now; the link leads to a file, another to nothing, a third to a device.
mkdir sub.tpr
ln -s a.tpr linked.tpr
timed verify .
rm pipe.tpr # one message at a time: a folder has no order of its own
ln -s /dev/zero zero.tpr
ln -s ../nothing sub.tpr/broken.tpr
timed verify .
# A link to a folder is not followed, but told of; named itself, it is.
mkdir deep
rm sub.tpr/broken.tpr zero.tpr
mkdir outer
cp a.tpr outer
ln -s ../deep outer/further
cp a.tpr deep/b.tpr
timed verify outer
timed verify outer/further
