// oddpipe.c: a world behind a pipe that misbehaves in the way its argument says, from tick 20 on where the way is one of a step: what the tests of
// --world-cmd are held against. usage: oddpipe MODE [FILE]
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAD_TICK = 20 };

static const char *mode;
static uint64_t    state[2]; // ticks, sum
static const char  hello[] = "{\"protocol\":1,\"name\":\"odd\",\"state_max\":%d,\"players\":{\"min\":1,\"max\":1,\"standard\":1},"
                             "\"input\":{\"fields\":[{\"name\":\"push\",\"type\":\"i8\",\"min\":-100,\"max\":100}]},"
                             "\"events\":[{\"name\":\"beat\",\"fields\":[{\"name\":\"n\",\"type\":\"u8\",\"max\":9,\"min\":0}]}],\"events_max\":4,"
                             "\"sections\":[{\"name\":\"odd\",\"fields\":[{\"name\":\"ticks\",\"type\":\"u64\"},{\"name\":\"sum\",\"type\":\"u64\",\"unit\":\"pushes\"}]}]%s}";

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void say(int kind, const void *bytes, uint32_t size, uint32_t claimed)
{
    uint8_t head[5] = { (uint8_t)claimed, (uint8_t)(claimed >> 8), (uint8_t)(claimed >> 16), (uint8_t)(claimed >> 24), (uint8_t)kind };
    fwrite(head, 1, 5, stdout);
    fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

static void say_hello(void)
{
    char text[2048];
    snprintf(text, sizeof(text), hello, is("state-max") ? 8 : 16, is("key") ? ",\"colour\":1" : "");
    if (is("changes") && getenv("ODDPIPE_MARK") != NULL && access(getenv("ODDPIPE_MARK"), F_OK) == 0) {
        snprintf(text, sizeof(text), hello, 17, "");
    } else if (is("changes") && getenv("ODDPIPE_MARK") != NULL) {
        fclose(fopen(getenv("ODDPIPE_MARK"), "w"));
    }
    if (is("version")) {
        snprintf(text, sizeof(text), "{\"protocol\":2}");
    } else if (is("no-json")) {
        snprintf(text, sizeof(text), "hello, I am a game");
    } else if (is("hello-size")) {
        say(0x81, text, (uint32_t)strlen(text), 0x7FFFFFFF);
        return;
    }
    say(0x81, text, (uint32_t)strlen(text), (uint32_t)strlen(text));
}

static void misbehave(uint8_t *events)
{
    if (is("crash")) {
        fprintf(stderr, "about to go\nthe engine's \033[31mlast\033[0m words\n");
        signal(SIGSEGV, SIG_DFL); // a sanitizer would make an exit of it
        raise(SIGSEGV);
    } else if (is("exit")) {
        fprintf(stderr, "giving up without a line's end");
        exit(3);
    } else if (is("hang")) {
        fprintf(stderr, "thinking\n");
        pause();
    } else if (is("refuse")) {
        say(0xFF, "the rope broke\nand more", 23, 23);
    } else if (is("kind")) {
        say(0x84, state, 16, 16);
    } else if (is("size")) {
        say(0x83, state, 4, 0x40000000);
    } else if (is("more")) {
        say(0x83, events, 12, 4);
    } else if (is("cut")) {
        say(0x83, state, 2, 9);
        exit(0);
    } else if (is("events")) {
        events[4] = 7;
        say(0x83, events, 9, 9);
    } else if (is("range")) {
        events[8] = 10;
        say(0x83, events, 9, 9);
    } else if (is("events-count")) {
        events[1] = 1;
        say(0x83, events, 9, 9);
    } else if (is("twice")) {
        say(0x83, events, 9, 9);
        usleep(20000);
        say(0x83, events, 9, 9);
    } else {
        say(0x83, events, 9, 9);
    }
}

static void step(const uint8_t *row)
{
    uint8_t events[16] = { 1, 0, 0, 0, 0, 0, 1, 0, (uint8_t)(state[0] % 10) };
    state[0]++;
    state[1] += (uint64_t)(int64_t)(int8_t)row[9];
    if (is("forgets") && state[0] == 31) {
        state[1] += (uint64_t)getpid(); // every run another sum
    }
    if (state[0] > BAD_TICK) {
        misbehave(events);
    } else {
        say(0x83, events, 9, 9);
    }
}

int main(int count, char **words)
{
    static uint8_t head[5], payload[70000];
    mode = count > 1 ? words[1] : "good";
    if (is("early")) {
        say(0x82, "", 0, 0);
    }
    while (fread(head, 1, 5, stdin) == 5) {
        uint32_t size = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
        if (size > sizeof(payload) || fread(payload, 1, size, stdin) != size) {
            return 1;
        }
        switch (head[4]) {
        case 1: say_hello(); break;
        case 2:
            memset(state, 0, sizeof(state));
            say(is("no-init") ? 0xFF : 0x82, "no pitch", is("no-init") ? 8 : 0, is("no-init") ? 8 : 0);
            break;
        case 3: step(payload); break;
        case 4: say(is("no-save") && state[0] > BAD_TICK ? 0xFF : 0x84, state, 16, 16); break;
        case 5: memcpy(state, payload, size < sizeof(state) ? size : sizeof(state)); say(0x85, "", 0, 0); break;
        default: say(0xFF, "what?", 5, 5); break;
        }
    }
    return 0;
}
