#!/bin/sh
# run.sh PROGRAM WORLD MAKESERIES CASE.sh: runs one case in an empty folder and compares all it prints with CASE.out. A case
# prints exit codes itself. With UPDATE=1 in the environment the expected output is written instead.
set -u
TICKPROOF=$(realpath "$1") WORLD=$(realpath "$2") MAKESERIES=$(realpath "$3") || exit 99
here=$(cd "$(dirname "$4")" && pwd)
name=$(basename "$4" .sh)
LIB=$here/lib.sh
SCRATCH=$(mktemp -d) || exit 99
LC_ALL=C
export TICKPROOF WORLD MAKESERIES LIB SCRATCH LC_ALL
unset HANGWORLD
trap 'rm -rf "$SCRATCH"' EXIT
mkdir "$SCRATCH/folder"
# A short name, so that no line that is cut to fit depends on where the build lies.
ln -s "$TICKPROOF" "$SCRATCH/tickproof" || exit 99
TICKPROOF=$SCRATCH/tickproof
cd "$SCRATCH/folder" || exit 99

# What a case prints must not depend on where the build lies, nor on the length of its compiler's name, which is in every log.
sh "$here/$name.sh" > "$SCRATCH/raw" 2>&1
sed -e "s|$WORLD|WORLD.so|g" -e 's/offset [1-9][0-9]*/offset N/g' -e 's/ [0-9]* bytes$/ N bytes/' "$SCRATCH/raw" > "$SCRATCH/out"
if test "${UPDATE:-}" = 1; then
    cp "$SCRATCH/out" "$here/$name.out"
else
    diff -u "$here/$name.out" "$SCRATCH/out"
fi
