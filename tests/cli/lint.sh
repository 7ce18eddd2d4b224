# lint over committed files of several machines: what it prints, what it refuses, and each exit code. tests/lint
# builds and finds every kind.
. "$LIB"
files=$(dirname "$LIB")/../fuzz/corpus/lint
cp "$files"/*.o "$files"/*.so "$files"/*.a .
echo "== other machines, each with a finding"
for file in fma.aarch64.o fma.arm.o fma.s390x.o x87.i386.o; do t lint $file | grep -v '^ *Do:\|^Why:\|^  [a-z0-9-]*: '; done
echo "== all that is said of one"
t lint clock.x86-64.so
echo "== a machine without a disassembler, and code that is none"
t lint clean.riscv.o
t lint unread.x86-64.o
t lint --allow unread unread.x86-64.o
echo "== allowed, and strict"
t lint --allow sort sort.x86-64.o
t lint --allow 'sort=qs*' --allow fma=move sort.x86-64.o
t lint --strict sort.x86-64.o | head -2
quiet lint --strict sort.x86-64.o
quiet lint --strict --allow sort=qsort sort.x86-64.o
echo "== an archive, a thin one"
t lint members.a | head -5
t lint thin.a | head -2
echo "== a thin one that names standard input, a pipe, a folder"
thin() { printf '%-16s%-12s%-6s%-6s%-8s%-10s`\n' "$1/" 0 0 0 100644 10; }
mkfifo pipe.o
{ printf '!<thin>\n'; thin -; thin pipe.o; thin ..; thin sort.x86-64.o; } > odd.a
timed lint odd.a 3<> pipe.o < pipe.o | sed '/^Why/,$d'
echo "== damage: the others are looked at all the same"
printf 'no object' > text.o
: > empty.o
printf 'MZ\220\0' > game.dll
t lint cut.o headers-elsewhere.o text.o empty.o game.dll zero-in-name.a missing.o fma.arm.o | grep -v '^ *Do:\|^Why:\|^  [a-z0-9-]*: '
t lint cut.o
t lint game.dll
echo "== formats"
t lint --format json sort.x86-64.o
t lint --format github sort.x86-64.o clean.riscv.o cut.o
t lint --format junit sort.x86-64.o cut.o
t lint --format sarif sort.x86-64.o clean.riscv.o | sed -n '/"results"/,$p'
echo "== usage"
t lint
t lint --allow speed sort.x86-64.o
t lint --allow sort= sort.x86-64.o
t lint --format xml sort.x86-64.o
