# Nothing that a library does while it is loaded or unloaded turns a bad verdict into a good one.
. "$LIB"
quiet run --world runner --ticks 100 -o good.tpr
head -c 2000 good.tpr > cut.tpr
HANGWORLD=exit-on-load; export HANGWORLD
timed verify --world "$WORLD" cut.tpr
HANGWORLD=hang-on-load
timed verify --world "$WORLD" --step-timeout 1 cut.tpr
HANGWORLD=exit-on-unload
timed verify --world "$WORLD" cut.tpr
unset HANGWORLD
printf 'no library' > broken.so
timed verify --world ./broken.so cut.tpr
