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
