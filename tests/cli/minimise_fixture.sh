# The test that is made of a small log: it builds without a warning, passes with the one build of the world and fails with the other.
. "$LIB"
cp "$(dirname "$WORLD")/threeinputs.so" good.so
cp "$(dirname "$WORLD")/threeinputs_planted.so" bad.so
here=$(dirname "$LIB")
build() {
    fixture=$1 world=$2
    shift 2
    # shellcheck disable=SC2086
    ${FIXTURE_CC} -std=gnu17 -Wall -Wextra -Werror "$@" -I "$here/../../include" -I "$here/../../src/core" "$fixture" "$world" ${FIXTURE_LIBRARY} -lcriterion -lsodium -lzstd -lpthread -lm -o "$SCRATCH/test"
}
outcome() {
    "$SCRATCH/test" > "$SCRATCH/said" 2>&1
    echo "exit $?"
    sed -n 's/^\[----\]   \([a-z].*\)/\1/p' "$SCRATCH/said"
}

"$TICKPROOF" run --world ./good.so --bot --seed 1 --ticks 400 -o long.tpr > /dev/null
"$TICKPROOF" minimise long.tpr -o small.tpr --world ./good.so --world ./bad.so --seconds 0 --fixture lock.c > /dev/null
build lock.c "$here/threeinputs.c" && outcome
build lock.c "$here/threeinputs.c" -DPLANTED && outcome
echo "== another revision is another world"
sed 's/revision = 1/revision = 2/' "$here/threeinputs.c" > other.c
build lock.c other.c && outcome
echo "== going back"
mkdir planted && cp "$here/../verify/planted_worlds.c" "$here/../verify/planted_worlds.h" "$here/../verify/planted_library.c" planted
"$TICKPROOF" run --world "$(dirname "$WORLD")/../verify/planted.so" --config '{"bug":1,"from":40}' --players 2 --ticks 300 -o planted.tpr > /dev/null
"$TICKPROOF" minimise planted.tpr -o back.tpr --world "$(dirname "$WORLD")/../verify/planted.so" --synctest --fixture back.c > /dev/null
echo "exit $?"
build back.c planted/planted_library.c planted/planted_worlds.c -DPLANTED_WORLD=planted_flat && outcome | sed 's/was .*/.../'
