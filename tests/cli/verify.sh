# Directories, lists, formats, damage, and the most serious verdict of a batch.
. "$LIB"
mkdir -p logs/deep logs/empty
quiet run --world runner --bot --seed 1 --ticks 700 -o logs/b.tpr
quiet run --world runner --bot --seed 2 --ticks 700 -o logs/a.tpr
quiet run --world runner --bot --seed 3 --ticks 700 -o logs/deep/c.tpr
echo nothing > logs/readme.txt
timed verify logs
timed verify -j 1 logs/b.tpr logs/a.tpr
printf 'logs/a.tpr\nlogs/deep/c.tpr\n' > list
timed verify @list
t verify --quiet logs
timed verify - < logs/a.tpr
timed verify -- -missing.tpr logs/a.tpr
timed verify --from 300 --to 400 logs/a.tpr
head -c 5000 logs/a.tpr > logs/cut.tpr
cp logs/a.tpr logs/hit.tpr
printf 'Z' | dd of=logs/hit.tpr bs=1 seek=5000 conv=notrunc 2> /dev/null
cp logs/a.tpr logs/long.tpr; echo >> logs/long.tpr
: > logs/none.tpr
quiet run --world runner --root-bytes 0 --leaves 0 --keyframes 0 --ticks 10 -o logs/bare.tpr
quiet run --world runner --ticks 0 -o logs/zero.tpr
timed verify logs
timed verify --fail-fast -j 1 logs/b.tpr logs/cut.tpr logs/hit.tpr
for format in json junit sarif github; do
    "$TICKPROOF" verify --format $format logs missing.tpr > out.$format 2> /dev/null
    echo "$format exit $?"
done
cp logs/a.tpr "$(printf 'odd\xef\xbf\xbe\x01\xff.tpr')"
"$TICKPROOF" verify --format junit odd*.tpr > odd.junit
python3 - <<'X'
import json, xml.dom.minidom
for line in open("out.json"):
    report = json.loads(line)
    print(report["file"], report["verdict"], report["exit"], report["checked"], report["recorded"])
# A name that XML has no letters for still makes a report that parses.
xml.dom.minidom.parse("odd.junit")
suite = xml.dom.minidom.parse("out.junit").getElementsByTagName("testsuite")[0]
print(suite.getAttribute("tests"), suite.getAttribute("failures"), suite.getAttribute("errors"))
sarif = json.load(open("out.sarif"))
print(sarif["version"], [result["ruleId"] for result in sarif["runs"][0]["results"]])
X
python3 -m json.tool < out.sarif > /dev/null
cat out.github
timed verify --prove=3 --seed 5 logs/a.tpr
printf '%064d\n' 0 > some.key
timed verify --trusted-key some.key logs/a.tpr
t info logs/cut.tpr | tail -4 | grep -v ' chain '
t info logs/hit.tpr | tail -1
# What a desync has left among a server's logs is none of them, until it is named itself.
mkdir -p records/a.tick9.slot0.desync records/a.tick99.slot0.desync.part
cp logs/a.tpr records; cp logs/cut.tpr records/a.tick9.slot0.desync/log.tpr; cp logs/cut.tpr records/a.tick99.slot0.desync.part/log.tpr
timed verify records
timed verify records/a.tick9.slot0.desync
