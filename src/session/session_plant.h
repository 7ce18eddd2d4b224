// session_plant.h: planted faults: one small wrong turn each, so that the tests can show that they would notice. In every normal build
// SESSION_PLANT is the constant 0 and nothing of it remains; a test build with -DSESSION_PLANTED switches one on at a time.
#pragma once

#define SESSION_PLANT_LIST(X) \
    X(ROLLBACK, "a wrong guess is taken for the confirmed tick") \
    X(OWN_INPUT, "a row that has another input for an own slot is taken for the guess") \
    X(COMMANDS, "a row with commands is taken for the guess without") \
    X(PRESENCE, "a row with other slots present is taken for the guess") \
    X(GUESSED_ROOT, "a wrong guess's own root is compared, before the tick is stepped again") \
    X(STALE_ROOT, "the root of an earlier guess of a tick is compared with the confirmed one") \
    X(TWICE, "an event that was told as PREDICTED is told as CONFIRMED twice") \
    X(PREDICTED_AGAIN, "guessing a tick again tells its events again") \
    X(UNRETRACTED, "an event that did not happen is not taken back") \
    X(UNSHOWN, "after going back the ticks that are still guesses are not stepped again") \
    X(WINDOW, "one tick more than the window is guessed") \
    X(OVERWRITTEN, "a shorter delay replaces inputs that were given") \
    X(RESENT, "inputs of confirmed ticks are sent on") \
    X(NO_INPUT, "an advance that cannot step takes no inputs") \
    X(DEEP, "going back goes one tick too far")

#ifdef SESSION_PLANTED
enum {
#define SESSION_PLANT_NUMBER(name, text) SESSION_PLANTED_##name,
    SESSION_PLANT_LIST(SESSION_PLANT_NUMBER) SESSION_PLANT_COUNT
#undef SESSION_PLANT_NUMBER
};
extern int session_planted; ///< the one that is on, or -1
#define SESSION_PLANT(name) (session_planted == SESSION_PLANTED_##name)
#else
#define SESSION_PLANT(name) 0
#endif
