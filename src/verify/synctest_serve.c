// synctest_serve.c: the far end: decodes a state, steps on, and says mark by mark what came out, up to the first that differs.
#include <stdlib.h>
#include <string.h>

#include "synctest_wire.h"

typedef struct {
    uint32_t       rows;
    uint64_t       tick, input_leaf, event_leaf;
    const uint8_t *state;
    size_t         state_size;
    const uint8_t *guess;
    size_t         guess_size; // 0: none
    const uint8_t *marks; // rows + 1
    BytesReader    reader; // at the first row
} Request;

static bool parse_request(const uint8_t *bytes, size_t size, Request *request)
{
    BytesReader *reader = &request->reader;
    *reader = bytes_reader(bytes, size);
    uint32_t magic = bytes_read_u32(reader);
    request->rows = bytes_read_u32(reader);
    request->tick = bytes_read_u64(reader);
    request->input_leaf = bytes_read_u64(reader);
    request->event_leaf = bytes_read_u64(reader);
    uint64_t state_size = bytes_read_u64(reader);
    request->guess_size = bytes_read_u32(reader);
    if (reader->failed || magic != SYNC_WIRE_REQUEST || request->rows > TP_SYNCTEST_DISTANCE_MAX || state_size > TP_STATE_SIZE_MAX) {
        return false;
    }
    request->state_size = (size_t)state_size;
    request->state = bytes_read_span(reader, request->state_size);
    request->marks = bytes_read_span(reader, ((size_t)request->rows + 1) * SYNC_WIRE_MARK);
    request->guess = bytes_read_span(reader, request->guess_size);
    return !reader->failed;
}

typedef struct {
    SyncShape shape;
    SyncImage image;
    uint8_t  *marks;
    uint32_t  count; // of marks
    tp_error  refusal;
    bool      is_refused, is_unsound;
} Serving;

// Takes the sim's state as the next of the answer. False: it is the last, since it differs or cannot be taken.
static bool add_mark(Serving *serving, const Request *request, tp_sim *sim, bool is_restored)
{
    if (!sync_image_take(&serving->image, &serving->shape, sim)) {
        serving->is_unsound = true;
        return false;
    }
    serving->image.has_events = !is_restored;
    SyncMark expected = sync_wire_get_mark(request->marks + (size_t)serving->count * SYNC_WIRE_MARK);
    sync_wire_put_mark(serving->marks + (size_t)serving->count * SYNC_WIRE_MARK, &serving->image.mark);
    serving->count += 1;
    return sync_mark_equal(&expected, &serving->image.mark);
}

static bool restore(Serving *serving, const Request *request, tp_sim *sim)
{
    return sync_restore(sim, &serving->shape, request->state, request->state_size, request->tick, request->input_leaf, request->event_leaf,
                        &serving->refusal);
}

// Whatever the guess comes to, the state before it comes back.
static bool restore_and_guess(Serving *serving, const Request *request, tp_sim *sim)
{
    tp_error unused;
    if (!restore(serving, request, sim)) {
        return false;
    }
    if (request->guess_size == 0) {
        return true;
    }
    (void)tp_sim_step_bytes(sim, request->guess, request->guess_size, &unused);
    return restore(serving, request, sim);
}

// False: the request is none.
static bool step_request(Serving *serving, Request *request, tp_sim *sim)
{
    serving->is_refused = !restore_and_guess(serving, request, sim);
    bool is_open = !serving->is_refused && add_mark(serving, request, sim, true);
    for (uint32_t i = 0; i < request->rows; i++) {
        uint32_t       size = bytes_read_u32(&request->reader);
        const uint8_t *row = bytes_read_span(&request->reader, size);
        if (request->reader.failed) {
            return false;
        }
        if (!is_open) {
            continue;
        }
        serving->is_refused = tp_sim_step_bytes(sim, row, size, &serving->refusal) == TP_SIM_REFUSED;
        is_open = !serving->is_refused && add_mark(serving, request, sim, false);
    }
    return bytes_reader_is_done(&request->reader);
}

static uint8_t *write_answer(const Serving *serving, size_t *size)
{
    const SyncImage *image = &serving->image;
    size_t           refusal_size = serving->is_refused ? strlen(serving->refusal.text) : 0;
    size_t           marks_size = (size_t)serving->count * SYNC_WIRE_MARK;
    *size = SYNC_WIRE_ANSWER_HEAD + refusal_size + marks_size;
    *size += serving->count == 0 ? 0 : 25 + 4 + image->event_size + 8 + image->state_size + 8 + serving->shape.rest_size;
    uint8_t *bytes = malloc(*size);
    if (bytes == NULL) {
        return NULL;
    }
    BytesWriter writer = bytes_writer(bytes, *size);
    bytes_write_u32(&writer, SYNC_WIRE_ANSWER);
    bytes_write_u32(&writer, serving->count);
    bytes_write_u16(&writer, (uint16_t)refusal_size);
    bytes_write_span(&writer, serving->refusal.text, refusal_size);
    bytes_write_span(&writer, serving->marks, marks_size);
    if (serving->count > 0) {
        bytes_write_u64(&writer, image->tick);
        bytes_write_u64(&writer, image->input_leaf);
        bytes_write_u64(&writer, image->event_leaf);
        bytes_write_u8(&writer, image->has_events ? 1 : 0);
        bytes_write_u32(&writer, (uint32_t)image->event_size);
        bytes_write_span(&writer, image->events, image->event_size);
        bytes_write_u64(&writer, image->state_size);
        bytes_write_span(&writer, image->state, image->state_size);
        bytes_write_u64(&writer, serving->shape.rest_size);
        bytes_write_span(&writer, image->rest, serving->shape.rest_size);
    }
    return bytes;
}

bool tp_synctest_serve(tp_sim *sim, const uint8_t *request_bytes, size_t request_size, uint8_t **answer, size_t *answer_size, tp_error *error)
{
    Request request;
    Serving serving = { .shape = sync_shape_of(sim) };
    if (!parse_request(request_bytes, request_size, &request)) {
        return tp_error_set(error, "%zu bytes that are no request of a synctest", request_size);
    }
    serving.marks = malloc(((size_t)request.rows + 1) * SYNC_WIRE_MARK);
    bool is_good = serving.marks != NULL && sync_image_init(&serving.image, &serving.shape);
    if (!is_good) {
        tp_error_set(error, "out of memory");
    } else if (!step_request(&serving, &request, sim)) {
        is_good = tp_error_set(error, "a request whose rows do not end where it does");
    } else if (serving.is_unsound) {
        is_good = tp_error_set(error, "the world could not save or hash its state");
    } else {
        *answer = write_answer(&serving, answer_size);
        is_good = *answer != NULL || tp_error_set(error, "out of memory");
    }
    sync_image_finish(&serving.image);
    free(serving.marks);
    return is_good;
}
