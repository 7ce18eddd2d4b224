# Keys; logs signed while they are recorded and afterwards; and a forgery that only a signature tells from the real run.
. "$LIB"
# Keys are other ones each time.
keyless() { sed -e 's/[0-9a-f]\{64\}/KEY/g'; }
echo "== keygen"
t keygen -o mine | keyless
t keygen -o theirs > /dev/null
stat -c '%n %a %s' mine.key mine.pub
t keygen --public mine.key | cmp - mine.pub
cmp -s mine.key theirs.key && echo "two keys are equal"
cp mine.key before.key
t keygen -o mine
cmp mine.key before.key
rm mine.pub && mkdir mine.pub
mv mine.key away.key
t keygen -o mine
ls mine.key 2> /dev/null
rmdir mine.pub && mv away.key mine.key && t keygen --public mine.key > mine.pub
t keygen -o nowhere/name
t keygen -o -
t keygen -o ''
t keygen
t keygen -o a --public mine.key
t keygen name
t keygen --public mine.pub | keyless
chmod 600 mine.pub && t keygen --public mine.pub
chmod 640 mine.key && t keygen --public mine.key
chmod 600 mine.key
tr 0-9a-f 1-9a-f0 < mine.key > bent.key && chmod 600 bent.key && t keygen --public bent.key
cut -c1-100 mine.key > short.key && chmod 600 short.key && t keygen --public short.key
t keygen --public missing.key

echo "== sign"
quiet run --world runner --bot --seed 5 --ticks 900 -o plain.tpr
timed verify plain.tpr
t verify --format json plain.tpr | grep -o '"signed".*'
t info plain.tpr | grep -e seals -e signer -e 'end   '
t sign --key mine.key plain.tpr -o signed.tpr | keyless
cmp -s plain.tpr signed.tpr && echo "nothing differs"
size=$(stat -c %s plain.tpr)
cmp -n $((size - 304)) plain.tpr signed.tpr && test "$size" -eq "$(stat -c %s signed.tpr)" && echo "only END differs"
timed verify signed.tpr | keyless
timed verify --trusted-key mine.pub signed.tpr | keyless
timed verify --trusted-key theirs.pub signed.tpr | keyless
t verify --format json signed.tpr | grep -o '"signed".*' | keyless
t verify --trusted-key mine.pub --format json signed.tpr | grep -o '"end_signed".*' | keyless
t info signed.tpr | grep -e seals -e signer -e 'end   ' | sed 's/root.*/root/' | keyless
t sign --key mine.key plain.tpr -o signed.tpr
t sign --key mine.key --force plain.tpr -o signed.tpr | keyless
cat plain.tpr | "$TICKPROOF" sign --key mine.key - -o piped.tpr | keyless
cmp signed.tpr piped.tpr

echo "== in place"
cp plain.tpr one.tpr && cp plain.tpr two.tpr && chmod 640 one.tpr && ln -s two.tpr link.tpr
t sign --key mine.key --in-place one.tpr link.tpr | keyless
cmp one.tpr signed.tpr && cmp two.tpr signed.tpr && stat -c '%a' one.tpr && test -L link.tpr && echo "the link stays"
t sign --key mine.key --in-place one.tpr
t sign --key theirs.key --in-place one.tpr | keyless
cmp one.tpr signed.tpr
t sign --key theirs.key --in-place --replace one.tpr | keyless
ls -A | grep '^\.'

echo "== sealed"
quiet seal plain.tpr -o plain.sealed.tpr
t sign --key mine.key plain.sealed.tpr -o signed.sealed.tpr | keyless
timed verify --trusted-key mine.pub signed.sealed.tpr | keyless
quiet seal --unseal signed.sealed.tpr -o back.tpr
cmp back.tpr signed.tpr
t sign --key mine.key --in-place plain.sealed.tpr | keyless
cmp plain.sealed.tpr signed.sealed.tpr
t sign --key theirs.key --in-place plain.sealed.tpr | keyless
head -c 2000 plain.sealed.tpr > cut.sealed.tpr
t sign --key mine.key cut.sealed.tpr -o out.tpr | sed 's/byte [0-9]*/byte N/'
t repair cut.sealed.tpr -o out.tpr

echo "== refused"
head -c $((size - 100)) plain.tpr > torn.tpr
t sign --key mine.key torn.tpr -o out.tpr
{ head -c $((size - 9000)) plain.tpr; printf x; tail -c 8999 plain.tpr; } > bent.tpr
t sign --key mine.key bent.tpr -o out.tpr
t sign --key mine.key --in-place bent.tpr torn.tpr
ls out.tpr 2> /dev/null
t sign plain.tpr -o out.tpr
t sign --key mine.key plain.tpr
t sign --key mine.key -o out.tpr
t sign --key mine.key --in-place -o out.tpr plain.tpr
t sign --key mine.key -o out.tpr plain.tpr signed.tpr
t sign --key mine.key --in-place -
t sign --key mine.pub plain.tpr -o out.tpr
t sign --key missing.key plain.tpr -o out.tpr
t sign --key mine.key missing.tpr -o out.tpr
t sign --key mine.key plain.tpr -o -
t sign --key mine.key plain.tpr -o nowhere/out.tpr

echo "== as it is recorded"
quiet run --world runner --bot --seed 5 --ticks 900 --seal 300 --sign-key mine.key -o recorded.tpr
quiet run --world runner --bot --seed 5 --ticks 900 --seal 300 --sign-key mine.key -o again.tpr
cmp recorded.tpr again.tpr
timed verify --trusted-key mine.pub recorded.tpr | keyless
t info recorded.tpr | grep seals
t cat recorded.tpr | "$TICKPROOF" import jsonl - --sign-key mine.key -o imported.tpr > /dev/null
timed verify --trusted-key mine.pub imported.tpr | keyless
t run --world runner --sign-key mine.pub -o x.tpr
t run --world runner --sign-key missing.key -o x.tpr
t import jsonl w --sign-key missing.key -o x.tpr

echo "== a series"
"$MAKESERIES" s 3 150
t sign --key mine.key --in-place s.0.tpr s.1.tpr s.2.tpr | keyless
timed verify --trusted-key mine.pub s.0.tpr s.1.tpr s.2.tpr | keyless

echo "== a forgery"
# Other inputs, and everything made again by an honest recorder: states, roots, checksums, chain.
t cat recorded.tpr | sed '/"tick":400,/s/"edges":[0-9]*/"edges":1/' > forged.jsonl
t cat recorded.tpr | diff - forged.jsonl | sed 's/,"commands.*//'
quiet run --world runner --seed 5 --inputs forged.jsonl --seal 300 -o forged.tpr
timed verify forged.tpr
timed verify --trusted-key mine.pub forged.tpr
quiet run --world runner --seed 5 --inputs forged.jsonl --seal 300 --sign-key theirs.key -o forged2.tpr
timed verify forged2.tpr | keyless
timed verify --trusted-key mine.pub forged2.tpr | keyless
# The signed END behind forged records: its chain value is another run's.
{ head -c -304 forged.tpr; tail -c 304 recorded.tpr; } > spliced.tpr
t verify spliced.tpr | sed -n 1,2p

echo "== which key"
t verify --trusted-key mine.pub --trusted-key theirs.pub recorded.tpr
t verify --trusted-key mine.key recorded.tpr

echo "== damaged, and by whom nobody knows"
# What is wrong with the bytes stands beside what is wrong with the signature. Offsets depend on the compiler's name.
numberless() { sed -n 's/[0-9]\{1,\}/N/g; /N\/N ticks/,/offset N;/p'; }
spoil() {
    size=$(wc -c < "$1")
    head -c $((size / 2)) "$1" > torn.tpr
    { head -c $((size / 2)) "$1"; printf 'oops'; tail -c +$((size / 2 + 5)) "$1"; } > spoilt.tpr
    timed verify --trusted-key mine.pub torn.tpr | numberless
    timed verify --trusted-key mine.pub spoilt.tpr | numberless
}
spoil recorded.tpr # a SEAL before it is signed
quiet run --world runner --seed 5 --bot --ticks 600 -o late.tpr
quiet sign --key mine.key --in-place late.tpr
spoil late.tpr     # only END was
