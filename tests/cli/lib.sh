# lib.sh: what the cases share.

# The program with both streams, then its exit code when that is not 0.
t() {
    "$TICKPROOF" "$@" 2>&1
    code=$?
    test "$code" -eq 0 || echo "exit $code"
}

# The same without the line that has times.
timed() {
    "$TICKPROOF" "$@" > "$SCRATCH/timed" 2>&1
    code=$?
    sed '/ ticks\/s$/d' "$SCRATCH/timed"
    test "$code" -eq 0 || echo "exit $code"
}

# The same when only whether it works matters.
quiet() {
    "$TICKPROOF" "$@" > /dev/null || echo "exit $?"
}

# Keeps what reads without end from taking all memory, where the build can live with a limit: one with sanitizers cannot.
cap_memory() {
    if (ulimit -v 3000000 && "$TICKPROOF" worlds || exit 1) > /dev/null 2>&1; then
        ulimit -v 3000000
    fi
}
