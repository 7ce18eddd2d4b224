// pipeworld.c: see pipeworld.h. The functions of a tp_opaque that make an instance are given no world, so each command has a slot, and each
// slot its own two of them.
#include "pipeworld.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "pipeworld_hello.h"
#include "pipeworld_process.h"

typedef struct {
    char       *command; // NULL: free
    PipeHello   hello;
    tp_opaque   opaque;
    char       *text; // of the hello: every process of the command must say the same
    size_t      text_size;
    PipeProcess idle; // the one that was asked first waits for the first instance
} PipeSlot;

typedef struct {
    PipeSlot   *slot;
    PipeProcess process;
    tp_setup    setup;
    int64_t     config[TP_CONFIG_ITEMS_MAX];
    bool        is_at_init; // nothing was stepped or loaded since
    uint8_t    *row;        // bytes of a STEP
    char        why[TP_ERROR_SIZE]; // of a fault: valid until the instance ends, which is after the sim
} PipeInstance;

static PipeSlot        slots[PIPEWORLDS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of every slot's `idle`

static uint32_t answer_ms(void)
{
    const char *text = getenv("TICKPROOF_WORLD_TIMEOUT_S");
    uint64_t    seconds = PIPEWORLD_ANSWER_S;
    if (text != NULL && (!args_parse_u64(text, &seconds) || seconds < 1 || seconds > 86400)) {
        seconds = PIPEWORLD_ANSWER_S;
    }
    return (uint32_t)seconds * 1000;
}

static bool start_and_greet(PipeProcess *process, const char *command, const uint8_t **text, size_t *size, tp_error *error)
{
    uint8_t hello[PIPEWIRE_HELLO_SIZE];
    pipewire_put_hello(hello);
    if (!pipeprocess_start(process, command, error)) {
        return false;
    }
    if (pipeprocess_ask(process, PIPE_HELLO, hello, sizeof(hello), NULL, 0, PIPEHELLO_SIZE_MAX, PIPEWORLD_HELLO_MS, text, size, error) == PIPE_DONE) {
        return true;
    }
    pipeprocess_finish(process);
    return false;
}

// A new process of the slot's command that says what the first one said.
static bool start_again(PipeInstance *instance, tp_error *error)
{
    const PipeSlot *slot = instance->slot;
    const uint8_t  *text = NULL;
    size_t          size = 0;
    pipeprocess_finish(&instance->process);
    if (!start_and_greet(&instance->process, slot->command, &text, &size, error)) {
        return false;
    }
    if (size != slot->text_size || memcmp(text, slot->text, size) != 0) {
        pipeprocess_finish(&instance->process);
        return tp_error_set(error, "hello: the command says something else now than when it was first started");
    }
    return true;
}

static bool take_idle(PipeInstance *instance)
{
    PipeSlot *slot = instance->slot;
    pthread_mutex_lock(&lock);
    bool is_there = slot->idle.pid != 0 && slot->idle.owner == getpid();
    if (is_there) {
        instance->process = slot->idle;
        slot->idle = (PipeProcess){ 0 };
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}

static PipeResult ask(PipeInstance *instance, PipeKind kind, const void *bytes, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    const PipeHello *hello = &instance->slot->hello;
    size_t           most = pipewire_answer_max(kind, &hello->world, hello->state_max);
    return pipeprocess_ask(&instance->process, kind, bytes, size, NULL, 0, most, answer_ms(), answer, answer_size, error);
}

// From nothing, or from a process that is not ours any more, to the state of init.
static bool begin(PipeInstance *instance, tp_error *error)
{
    uint8_t        bytes[PIPEWIRE_INIT_MAX];
    const uint8_t *answer = NULL;
    size_t         size = 0;
    if (!take_idle(instance) && !start_again(instance, error)) {
        return false;
    }
    size_t used = pipewire_put_init(&instance->setup, instance->slot->hello.world.config_count, bytes);
    instance->is_at_init = ask(instance, PIPE_INIT, bytes, used, &answer, &size, error) == PIPE_DONE;
    return instance->is_at_init;
}

// A fork has the pipes of the process it was made from, and must leave them alone. Where only init was done, that is done again.
static bool is_ready(PipeInstance *instance, bool for_load, tp_error *error)
{
    bool is_there = instance->process.pid != 0;
    if (is_there && instance->process.owner == getpid()) {
        return true;
    }
    if (for_load || (is_there && instance->is_at_init)) {
        return begin(instance, error);
    }
    return tp_error_set(error, is_there ? "its process belongs to another process" : "its process is gone");
}

// Where nobody takes a text: one line to people.
static void say(const PipeInstance *instance, const char *what)
{
    cli_fail(TP_INTERNAL, "world '%s' of --world-cmd: %s", instance->slot->hello.world.name, what);
}

static void *create_in(PipeSlot *slot, const tp_setup *setup)
{
    PipeInstance *instance = calloc(1, sizeof(*instance));
    uint8_t      *row = malloc(pipewire_step_max(&slot->hello.world, setup->players));
    if (instance == NULL || row == NULL) {
        free(instance);
        free(row);
        return NULL;
    }
    instance->slot = slot;
    instance->row = row;
    instance->setup = *setup;
    instance->setup.config = instance->config;
    for (uint32_t i = 0; i < slot->hello.world.config_count; i++) {
        instance->config[i] = setup->config[i];
    }
    return instance;
}

static void destroy(void *self)
{
    PipeInstance *instance = self;
    pipeprocess_finish(&instance->process);
    free(instance->row);
    free(instance);
}

static void raise_fault(PipeInstance *instance, const tp_error *error)
{
    snprintf(instance->why, sizeof(instance->why), "%s", error->text);
    tp_fault_raise(TP_FAULT_WORLD, instance->why, instance->slot->hello.world.name, 0);
}

static void init(void *self, tp_context *context)
{
    tp_error error;
    (void)context; // the setup is that of create
    if (!begin(self, &error)) {
        raise_fault(self, &error);
    }
}

static void emit(void *to, uint32_t type, const void *native)
{
    tp_emit(to, type, native);
}

static tp_step_result step(void *self, const tp_tick *tick, tp_context *context)
{
    PipeInstance   *instance = self;
    const tp_world *world = &instance->slot->hello.world;
    const uint8_t  *answer = NULL;
    size_t          size = 0;
    tp_error        error, reason;
    bool            is_done = is_ready(instance, false, &error) &&
                   ask(instance, PIPE_STEP, instance->row, pipewire_put_step(world, tick, instance->row), &answer, &size, &error) == PIPE_DONE;
    instance->is_at_init = false;
    if (is_done && !pipewire_take_events(world, answer, size, emit, context, &reason)) {
        is_done = tp_error_set(&error, "step: its answer: %.200s", reason.text);
    }
    if (!is_done) {
        raise_fault(instance, &error);
    }
    return TP_STEP_OK;
}

static bool save(const void *self, void *bytes, size_t capacity, size_t *size)
{
    PipeInstance  *instance = (PipeInstance *)(uintptr_t)self; // asking changes nothing that is state
    const uint8_t *answer = NULL;
    tp_error       error;
    if (!is_ready(instance, false, &error) || ask(instance, PIPE_SAVE, NULL, 0, &answer, size, &error) != PIPE_DONE) {
        say(instance, error.text);
        return false;
    }
    if (*size > capacity) {
        return false;
    }
    memcpy(bytes, answer, *size);
    return true;
}

static bool load(void *self, const void *bytes, size_t size)
{
    PipeInstance  *instance = self;
    const uint8_t *answer = NULL;
    size_t         answer_size = 0;
    tp_error       error;
    PipeResult     result = is_ready(instance, true, &error) ? ask(instance, PIPE_LOAD, bytes, size, &answer, &answer_size, &error) : PIPE_LOST;
    if (result != PIPE_DONE) {
        say(instance, error.text);
        return false;
    }
    instance->is_at_init = false;
    return true;
}

static uint64_t checksum(const void *self, tp_hash_algorithm algorithm)
{
    PipeInstance  *instance = (PipeInstance *)(uintptr_t)self;
    const uint8_t *answer = NULL;
    size_t         size = 0;
    tp_error       error;
    (void)algorithm; // the world's own, whatever the root's is
    bool is_done = is_ready(instance, false, &error) && ask(instance, PIPE_CHECKSUM, NULL, 0, &answer, &size, &error) == PIPE_DONE;
    if (is_done && size != 8) {
        is_done = tp_error_set(&error, "checksum: it answers with %zu bytes, 8 are wanted", size);
    }
    if (!is_done) {
        say(instance, error.text);
        raise_fault(instance, &error);
    }
    return bytes_get_u64(answer);
}

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define DECLARE(n)                                       \
    static void *create_##n(const tp_setup *setup)       \
    {                                                    \
        return create_in(&slots[n], setup);              \
    }                                                    \
    static size_t size_max_##n(const tp_setup *setup)    \
    {                                                    \
        (void)setup;                                     \
        return slots[n].hello.state_max;                 \
    }
SLOTS(DECLARE)
#define LIST_CREATE(n) create_##n,
#define LIST_SIZE(n) size_max_##n,
static void *(*const creates[])(const tp_setup *setup) = { SLOTS(LIST_CREATE) };
static size_t (*const size_maxes[])(const tp_setup *setup) = { SLOTS(LIST_SIZE) };
_Static_assert(sizeof(creates) / sizeof(creates[0]) == PIPEWORLDS_MAX, "SLOTS lists every slot");

static void fill_functions(PipeSlot *slot, size_t index)
{
    slot->opaque = (tp_opaque){ .size_max = size_maxes[index], .create = creates[index], .destroy = destroy, .save = save, .load = load };
    slot->opaque.hash = slot->hello.has_checksum ? checksum : NULL;
    slot->hello.world.opaque = &slot->opaque;
    slot->hello.world.init = init;
    slot->hello.world.step = step;
}

static bool open_slot(PipeSlot *slot, size_t index, const char *command, tp_error *error)
{
    const uint8_t *text = NULL;
    tp_error       reason;
    if (!start_and_greet(&slot->idle, command, &text, &slot->text_size, error)) {
        return false;
    }
    slot->command = strdup(command);
    slot->text = malloc(slot->text_size + 1);
    bool is_good = slot->command != NULL && slot->text != NULL;
    if (!is_good) {
        tp_error_set(error, "out of memory");
    } else {
        memcpy(slot->text, text, slot->text_size);
        is_good = pipehello_read(&slot->hello, slot->text, slot->text_size, &reason);
        if (is_good) {
            fill_functions(slot, index);
            is_good = tp_world_check(&slot->hello.world, &reason);
        }
        if (!is_good) {
            tp_error_set(error, "hello: %.220s", reason.text);
        }
    }
    if (!is_good) {
        pipehello_finish(&slot->hello);
        pipeprocess_finish(&slot->idle);
        free(slot->command);
        free(slot->text);
        *slot = (PipeSlot){ 0 };
    }
    return is_good;
}

const tp_world *pipeworld_open(const char *command, tp_error *error)
{
    size_t i = 0;
    if (command[0] == '\0' || strlen(command) > PIPEPROCESS_COMMAND_MAX) {
        tp_error_set(error, "a command of 1 to %d bytes is wanted", PIPEPROCESS_COMMAND_MAX);
        return NULL;
    }
    for (; i < PIPEWORLDS_MAX && slots[i].command != NULL; i++) {
        if (strcmp(slots[i].command, command) == 0) {
            return &slots[i].hello.world;
        }
    }
    if (i == PIPEWORLDS_MAX) {
        tp_error_set(error, "%d commands are the most", PIPEWORLDS_MAX);
        return NULL;
    }
    return open_slot(&slots[i], i, command, error) ? &slots[i].hello.world : NULL;
}

const char *pipeworld_build(const tp_world *world)
{
    for (size_t i = 0; i < PIPEWORLDS_MAX; i++) {
        if (&slots[i].hello.world == world) {
            return slots[i].hello.build;
        }
    }
    return "";
}
