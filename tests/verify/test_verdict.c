#include <criterion/criterion.h>

#include "tickproof/verify.h"

// Goal: the documented order of seriousness: 70, 8, 1, 3, 6, 7, 4, 5, 2, 0.
Test(verdict, the_most_serious_wins)
{
    const tp_verdict order[] = { TP_INTERNAL, TP_UNAUTHENTIC, TP_DIVERGED, TP_CORRUPT, TP_INCOMPATIBLE,
                                 TP_UNVERIFIABLE, TP_TRUNCATED, TP_INCOMPLETE, TP_USAGE, TP_VERIFIED };
    const int        codes[] = { 70, 8, 1, 3, 6, 7, 4, 5, 2, 0 };
    for (int i = 0; i < 10; i++) {
        cr_assert_eq((int)order[i], codes[i]);
        for (int k = 0; k < 10; k++) {
            cr_assert_eq(tp_verdict_worst(order[i], order[k]), order[i < k ? i : k]);
        }
    }
    cr_assert_eq(tp_verdict_worst(TP_VERIFIED, (tp_verdict)42), TP_VERIFIED);
    cr_assert_eq(tp_verdict_worst((tp_verdict)41, (tp_verdict)42), TP_INTERNAL);
}

Test(verdict, names)
{
    cr_assert_str_eq(tp_verdict_name(TP_VERIFIED), "verified");
    cr_assert_str_eq(tp_verdict_name(TP_UNAUTHENTIC), "unauthentic");
    cr_assert_str_eq(tp_verdict_name((tp_verdict)42), "internal");
}
