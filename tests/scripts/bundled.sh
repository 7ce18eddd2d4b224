#!/usr/bin/env bash
# The bundled logs: good ones verify, bad ones get the exit code in their name, and the independent reader, which cannot step a
# world, agrees wherever structure alone decides.
# usage: bundled.sh TICKPROOF
set -uo pipefail
tickproof=$(realpath "$1")
cd "$(dirname "$0")/../.."
failures=0 checked=0

expect() { # code, what, command...
    local wanted=$1 what=$2 code=0
    shift 2
    "$@" >/dev/null 2>&1 || code=$?
    checked=$((checked + 1))
    if [[ $code != "$wanted" ]]; then
        echo "bundled: $what: exit $code, not $wanted"
        failures=$((failures + 1))
    fi
}

expect 0 'replays/good' "$tickproof" verify replays/good
for log in replays/good/*.tpr; do
    expect 0 "$log" "$tickproof" verify "$log"
    expect 0 "tprread $log" python3 scripts/tprread.py check "$log"
done
for log in replays/bad/*.tpr; do
    name=${log%.tpr}
    code=${name##*-}
    expect "$code" "$log" "$tickproof" verify "$log"
    case $code in
    4 | 8) expect "$code" "tprread $log" python3 scripts/tprread.py check "$log" ;;
    1 | 5 | 6 | 7) expect 0 "tprread $log" python3 scripts/tprread.py check "$log" ;; # whole, but not right
    3) ;; # some of these only re-simulation can tell
    esac
done
for log in damaged-in-the-middle-3 not-a-log-3 something-after-end-3 index-3; do
    expect 3 "tprread $log" python3 scripts/tprread.py check "replays/bad/$log.tpr"
done
echo "bundled: $((checked - failures)) passed, $failures failed"
[[ $failures == 0 && $checked -gt 20 ]]
