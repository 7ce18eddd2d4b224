// writefindings.c: findings of every shape, good and bad, with names and texts that no format can take as they are, in the format that is
// asked for. test_reports.py reads them back.
#include <stdlib.h>
#include <string.h>

#include "finding.h"

static const char odd_text[] = "a <b> & \"c\", 100%: 'd'\n\t\x01\xff \xef\xbf\xbe \xe2\x80\xae\xe2\x81\xa6 end]]>";

static Finding everything(void)
{
    Finding finding = { .subject = "logs/a b,c:d%.tpr", .aspect = "aslr=off", .verdict = TP_DIVERGED, .cause = "addresses", .has_tick = true, .tick = 37,
                        .differing_fields = 12, .has_last_write = true, .last_write_tick = 30, .offset = 912 };
    snprintf(finding.message, sizeof(finding.message), "first bad tick is 37");
    snprintf(finding.section, sizeof(finding.section), "players");
    snprintf(finding.field, sizeof(finding.field), "players[1].lane");
    snprintf(finding.place.path, sizeof(finding.place.path), "src/worlds/a world/rules.h");
    finding.place.line = 17;
    finding.inputs = strdup("{\"tick\":37,\"slots\":[]}\n");
    finding.value_count = 3;
    finding.values[0] = (FindingValue){ .side = "here", .value = "3 lanes" };
    finding.values[1] = (FindingValue){ .side = "aslr=off", .value = "4 lanes", .group = 1 };
    finding.values[2] = (FindingValue){ .side = "x<y", .group = 2 };
    return finding;
}

static Finding plain(const char *subject, tp_verdict verdict, bool is_skipped, const char *message)
{
    Finding finding = { .subject = subject, .verdict = verdict, .is_skipped = is_skipped };
    snprintf(finding.message, sizeof(finding.message), "%s", message);
    return finding;
}

int main(int argc, char **argv)
{
    Finding       findings[9];
    FindingFormat format = FINDING_TEXT;
    if (argc != 3 || !finding_format_of(argv[1], &format)) {
        return 2;
    }
    findings[0] = everything();
    findings[1] = plain("good.tpr", TP_VERIFIED, false, "");
    findings[2] = plain("asan", TP_VERIFIED, true, "there is no such build here");
    findings[3] = plain("/absolute/path.tpt", TP_INCOMPLETE, false, "cut off");
    findings[4] = plain(odd_text, TP_CORRUPT, false, odd_text);
    findings[5] = plain("broken", TP_INTERNAL, false, "out of memory");
    findings[6] = plain("missing.tpt", TP_USAGE, false, "No such file or directory");
    findings[7] = plain("worst but skipped", TP_UNAUTHENTIC, true, odd_text);
    findings[8] = plain("strange", (tp_verdict)42, false, "a verdict that is none");
    size_t count = strcmp(argv[2], "none") == 0 ? 0 : strcmp(argv[2], "good") == 0 ? 1 : 9;
    size_t first = count == 1 ? 1 : 0;
    finding_write(stdout, format, "tickproof bisect", findings + first, count);
    int worst = (int)finding_worst(findings + first, count);
    for (int i = 0; i < 9; i++) {
        finding_finish(&findings[i]);
        finding_finish(&findings[i]); // twice is fine
    }
    return worst;
}
