# A rotated series verifies as a whole in whatever order it is given, and not without its start.
. "$LIB"
"$MAKESERIES" s 4 150 || echo "exit $?"
timed verify -j 3 s.2.tpr s.0.tpr s.3.tpr s.1.tpr
timed verify -j 1 .
timed verify s.1.tpr
timed verify s.0.tpr s.2.tpr s.3.tpr
printf 'Z' | dd of=s.1.tpr bs=1 seek=2000 conv=notrunc 2> /dev/null
timed verify .
t info s.2.tpr | grep -e series -e ticks -e ' end '
t dump --tick 151 s.1.tpr | cut -c 1-30
t dump --tick 149 s.2.tpr
t cat --to 300 s.2.tpr | cut -c 1-40
