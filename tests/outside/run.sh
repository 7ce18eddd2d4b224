#!/usr/bin/env bash
# A world and a host program outside the tree, built with nothing but the installed headers and library through pkg-config.
# usage: run.sh BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
failures=0

fail() {
    echo "outside: $*"
    failures=$((failures + 1))
}

DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet >/dev/null
pc=$(dirname "$(find "$work/root" -name tickproof.pc)")
prefix=$(PKG_CONFIG_PATH=$pc pkg-config --variable=prefix tickproof)
export PKG_CONFIG_PATH=$pc
cflags=$(pkg-config --define-variable=prefix="$work/root$prefix" --cflags tickproof)
libs=$(pkg-config --define-variable=prefix="$work/root$prefix" --libs --static tickproof)
tickproof="$work/root$prefix/bin/tickproof"
sanitizers=${TICKPROOF_TEST_CFLAGS:-}

cc -std=c17 -Wall -Wextra -Werror -O2 $cflags -shared -fPIC "$here/ferry.c" -o "$work/ferry.so"
cc -std=c17 -Wall -Wextra -Werror -O2 $sanitizers $cflags "$here/host.c" "$here/ferry.c" $libs -o "$work/host"
said=$("$work/host") || fail "the host program: $said"
[[ $said == "host: verified, 1000 of 1000 ticks" ]] || fail "the host program said: $said"

"$tickproof" run --world "$work/ferry.so" --players 3 --ticks 500 -o "$work/ferry.tpr" >/dev/null || fail "run with a shared library"
"$tickproof" verify --world "$work/ferry.so" "$work/ferry.tpr" >/dev/null || fail "verify with a shared library"
code=0
"$tickproof" verify "$work/ferry.tpr" >"$work/said" || code=$?
[[ $code == 6 ]] || fail "without the world verify gave $code, not 6"

refused() { # flag, what must be said
    cc -std=c17 -O2 $cflags -shared -fPIC "-D$1" "$here/bad_world.c" -o "$work/bad.so"
    local code=0
    "$tickproof" run --world "$work/bad.so" --players 0 --ticks 10 -o "$work/bad-$1.tpr" >"$work/said" 2>&1 || code=$?
    [[ $code != 0 ]] || fail "$1 was not refused"
    grep -q "$2" "$work/said" || fail "$1: $(cat "$work/said")"
    [[ ! -e "$work/bad-$1.tpr" ]] || fail "$1 left a log behind"
}
refused UNCOVERED 'byte 5 of 8 is covered by no row'
refused BAD_RANGE 'range -1..10 is empty or does not fit the type'
refused OTHER_ABI 'world ABI 2'
cc -std=c17 -O2 $cflags -shared -fPIC -DGOOD "$here/bad_world.c" -o "$work/bad.so"
"$tickproof" run --world "$work/bad.so" --players 0 --ticks 10 -o "$work/good.tpr" >/dev/null || fail "the same world without a fault"

# Larger worlds: everything that a world may have, in C; objects and exceptions, in C++; and a real engine, where it is installed.
hosted() { # name, library, flags of run
    local name=$1 library=$2
    shift 2
    "$tickproof" run --world "$library" "$@" -o "$work/$name.tpr" >"$work/said" || fail "$name: run: $(cat "$work/said")"
    "$tickproof" verify --world "$library" "$work/$name.tpr" >"$work/said" || fail "$name: verify: $(cat "$work/said")"
    "$tickproof" synctest --world "$library" --distance 2 --ticks 60 >"$work/said" || fail "$name: synctest: $(cat "$work/said")"
    "$tickproof" trace --world "$library" "$work/$name.tpr" -o "$work/$name.tpt" >"$work/said" || fail "$name: trace: $(cat "$work/said")"
    "$tickproof" dump --world "$library" --tick 50 "$work/$name.tpr" >"$work/$name.json" || fail "$name: dump"
}
cc -std=c17 -Wall -Wextra -Werror -O2 $cflags -shared -fPIC "$here/harbour.c" -o "$work/harbour.so"
printf '%s\n' '{"tick":0,"slots":[{"slot":0,"swing":100,"grab":0}],"commands":[{"source":"host","type":"storm","fields":{"ticks":300}},{"source":1,"type":"note","hex":"686921"}]}' \
    '{"tick":1,"slots":[{"slot":1,"swing":-100,"grab":1}],"commands":[{"source":"host","type":"close"}]}' >"$work/harbour.jsonl"
"$tickproof" run --world "$work/harbour.so" --players 2 --inputs "$work/harbour.jsonl" -o "$work/said.tpr" >"$work/said" || fail "harbour: commands: $(cat "$work/said")"
"$tickproof" verify --world "$work/harbour.so" "$work/said.tpr" >"$work/said" || fail "harbour: verify with commands: $(cat "$work/said")"
hosted harbour "$work/harbour.so" --bot --ticks 2000 --keyframes 500
grep -q '"phase":"' "$work/harbour.json" || fail "harbour: the state has no ships: $(cut -c1-200 "$work/harbour.json")"
"$tickproof" cues --world "$work/harbour.so" "$work/harbour.tpr" >"$work/said" || fail "harbour: cues"
grep -q 'crate' "$work/said" || fail "harbour: nobody heard a crate: $(head -n 3 "$work/said")"
if command -v g++ >/dev/null; then
    g++ -std=c++17 -Wall -Wextra -Werror -O2 $cflags -shared -fPIC "$here/kite.cpp" -o "$work/kite.so"
    hosted kite "$work/kite.so" --players 3 --ticks 1000 --keyframes 300
    grep -q '"kites":\[{"height":' "$work/kite.json" || fail "kite: the saved bytes have no names: $(cat "$work/kite.json")"
    "$tickproof" events --world "$work/kite.so" "$work/kite.tpr" >"$work/said"
    grep -q torn "$work/said" || fail "kite: no line tore, so no exception was thrown"
else
    echo "outside: no g++, so the world in C++ is skipped"
fi
if [[ -e /usr/include/chipmunk/chipmunk.h ]]; then
    [[ $(wc -l <"$here/chipmunk.c") -lt 150 ]] || fail "Chipmunk's world has 150 lines or more"
    cc -std=c17 -Wall -Wextra -Werror -O2 $cflags -shared -fPIC "$here/chipmunk.c" -o "$work/chipmunk.so" -lchipmunk
    hosted chipmunk "$work/chipmunk.so" --players 2 --ticks 600 --keyframes 200 2>/dev/null
    grep -q '"crates":\[{"position":' "$work/chipmunk.json" || fail "chipmunk: the saved bytes have no names"
else
    echo "outside: no libchipmunk-dev, so the world with a real engine is skipped"
fi

# Worlds that are processes, in C and in Python, written from WORLDS.md alone.
piped() { # name, command, flags of run
    local name=$1 command=$2
    shift 2
    "$tickproof" run --world-cmd "$command" "$@" -o "$work/$name.tpr" >"$work/said" || fail "$name: run: $(cat "$work/said")"
    "$tickproof" verify --world-cmd "$command" "$work/$name.tpr" >"$work/said" || fail "$name: verify: $(cat "$work/said")"
    "$tickproof" dump --world-cmd "$command" --tick 50 "$work/$name.tpr" >"$work/$name.json" || fail "$name: dump"
}
cc -std=c17 -Wall -Wextra -Werror -O2 "$here/punt.c" -o "$work/punt"
piped punt "$work/punt" --ticks 1000
grep -q '"punt":{"position":' "$work/punt.json" || fail "punt: the saved bytes have no names"
"$tickproof" synctest --world-cmd "$work/punt" --distance 2 --ticks 40 >"$work/said" || fail "punt: synctest: $(cat "$work/said")"
[[ $(wc -l <"$here/skiff.py") -lt 80 ]] || fail "the world in Python has 80 lines or more"
if command -v python3 >/dev/null; then
    piped skiff "python3 '$here/skiff.py'" --players 3 --ticks 2000
    grep -q '"skiff":{"x":' "$work/skiff.json" || fail "skiff: the saved bytes have no names"
    "$tickproof" events --world-cmd "python3 '$here/skiff.py'" "$work/skiff.tpr" >"$work/said"
    grep -q landed "$work/said" || fail "skiff: it never landed"
fi

# A player outside the tree takes a slot of a room of the server, and plays it; the room's log verifies.
cc -std=gnu17 -Wall -Wextra -Werror -O2 $sanitizers $cflags "$here/play.c" "$here/ferry.c" $libs -o "$work/play"
[[ $(wc -l <"$here/play.c") -le 100 ]] || fail "the player has more than 100 lines"
"$work/root$prefix/bin/tickproofd" --world "$work/ferry.so" --listen 127.0.0.1:0 --live docks=ferry,players=2 --record "$work/logs" --json-log \
    >"$work/results" 2>"$work/events" &
server=$!
for ((tries = 0; tries < 400; tries++)); do
    grep -q '"server.listening"' "$work/events" && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
done
port=$(sed -n 's/.*"server.listening".*"port":\([0-9]*\).*/\1/p' "$work/events")
[[ -n $port ]] || fail "the server: $(tail -n 3 "$work/events")"
code=0
timeout 60 "$work/play" 127.0.0.1 "${port:-1}" docks 200 >"$work/said" || code=$?
[[ $code == 0 ]] || fail "the player gave $code: $(tail -n 2 "$work/said")"
[[ $(grep -c '^tick [0-9]*: root [0-9a-f]\{16\}$' "$work/said") == 200 ]] || fail "the player said: $(tail -n 2 "$work/said")"
kill "$server" 2>/dev/null || true
wait "$server" || fail "the server ended with $?"
server=
"$tickproof" verify --world "$work/ferry.so" "$work/logs/docks.tpr" >"$work/said" || fail "the room's log: $(cat "$work/said")"
code=0
timeout 60 "$work/play" 127.0.0.1 "${port:-1}" docks 200 2>/dev/null || code=$?
[[ $code == 2 ]] || fail "without a server the player gave $code, not 2"

# A handle of one pool is not a handle of another: that is a compile error.
cat >"$work/mixed.c" <<'C'
#include <tickproof/pool.h>
#define ROWS(S, F, A, H) F(S, u32, value, "count", TP_ANY)
TP_POOL_DECLARE(Apple, apple, ROWS, "apples")
TP_POOL_DECLARE(Pear, pear, ROWS, "pears")
Apple *mixed(ApplePool *apples, PearHandle pear);
Apple *mixed(ApplePool *apples, PearHandle pear)
{
#ifdef MIXED
    return apple_get(apples, pear);
#else
    (void)pear;
    return apple_get(apples, apple_none());
#endif
}
C
cc -std=c17 $cflags -fsyntax-only "$work/mixed.c" || fail "pools do not compile"
if cc -std=c17 $cflags -DMIXED -fsyntax-only "$work/mixed.c" 2>/dev/null; then
    fail "a handle of another pool compiles"
fi

# Every public header compiles when it is included first.
for header in "$work/root$prefix"/include/tickproof/*.h; do
    printf '#include <tickproof/%s>\n' "$(basename "$header")" >"$work/one.c"
    cc -std=c17 -Wall -Wextra -Werror $cflags -fsyntax-only "$work/one.c" || fail "$header does not stand alone"
    if command -v g++ >/dev/null; then
        g++ -std=c++17 -x c++ $cflags -fsyntax-only "$work/one.c" || fail "$header is no C++"
    fi
done

# The README shows the same world.
awk '/^```c ferry/{on=1; next} /^```/{on=0} on' "$here/../../README.md" >"$work/readme.c"
cmp -s "$work/readme.c" "$here/ferry.c" || fail "the world in README.md is not tests/outside/ferry.c"

[[ $failures == 0 ]] && echo "outside: all good"
exit $((failures > 0))
