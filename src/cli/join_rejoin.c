// join_rejoin.c: connections that were lost, and are tried again until they stand or it has taken too long. What a member had of its client
// is gone meanwhile; its token, its counts and where its file of inputs stands are kept.
#include <string.h>

#include "join.h"

enum { LOOK_MS = 50 }; // how often the waiting ones are looked at

static void on_look(uv_timer_t *timer);

static bool is_in_time(const JoinConnection *connection)
{
    const Join *join = connection->join;
    return uv_now(&join->loop) - connection->lost_ms < (uint64_t)join->options->rejoin_seconds * 1000;
}

static void wait_more(JoinConnection *connection)
{
    uint32_t wait_ms = connection->wait_ms == 0 ? JOIN_RETRY_MS : connection->wait_ms * 2;
    connection->wait_ms = wait_ms < JOIN_RETRY_MAX_MS ? wait_ms : JOIN_RETRY_MAX_MS;
    connection->retry_ms = uv_now(&connection->join->loop) + connection->wait_ms;
}

// Lost, or not reached when it was tried again. A server that said goodbye has its reasons.
static bool can_retry(const JoinConnection *connection)
{
    const Join   *join = connection->join;
    ClientLinkEnd end = connection->link.end;
    bool          was_lost = end == CLIENT_LINK_LOST || (end == CLIENT_LINK_UNREACHABLE && connection->wait_ms > 0);
    return join->options->is_rejoin && !join->is_stopping && was_lost && connection->open_count > 0;
}

static void set_retrying(JoinConnection *connection, bool is_retrying)
{
    Join *join = connection->join;
    if (connection->is_retrying == is_retrying) {
        return;
    }
    connection->is_retrying = is_retrying;
    join->retry_count += is_retrying ? 1 : 0;
    join->retry_count -= is_retrying ? 0 : 1;
    if (join->retry_count == 0) {
        uv_timer_stop(&join->retry);
    } else if (is_retrying && join->retry_count == 1) {
        uv_timer_start(&join->retry, on_look, LOOK_MS, LOOK_MS);
    }
}

bool join_rejoin_begin(JoinConnection *connection)
{
    Join *join = connection->join;
    if (!can_retry(connection)) {
        return false;
    }
    if (connection->wait_ms == 0) {
        connection->lost_ms = uv_now(&join->loop);
    }
    if (!is_in_time(connection)) {
        return false;
    }
    wait_more(connection);
    for (uint32_t i = 0; i < connection->member_count; i++) {
        JoinMember *member = &join->members[connection->members[i]];
        if (member->is_leaving && !member->is_done) {
            join_member_cut(member, &connection->link); // it is out as it wanted
        } else if (!member->is_done) {
            join_member_away(member);
        }
    }
    set_retrying(connection, connection->open_count > 0);
    return true;
}

void join_rejoin_done(JoinConnection *connection)
{
    connection->wait_ms = 0;
}

static void try_again(JoinConnection *connection)
{
    tp_error error;
    if (is_in_time(connection) && join_open_link(connection, connection->join->options->connect_seconds * 1000, &error)) {
        set_retrying(connection, false);
    } else if (is_in_time(connection)) {
        wait_more(connection);
    } else {
        set_retrying(connection, false);
        join_cut(connection);
    }
}

static void on_look(uv_timer_t *timer)
{
    Join    *join = timer->data;
    uint64_t now_ms = uv_now(&join->loop);
    for (uint32_t i = 0; i < join->connection_count && join->retry_count > 0; i++) {
        JoinConnection *connection = join->connections[i];
        if (connection->is_retrying && connection->retry_ms <= now_ms) {
            try_again(connection);
        }
    }
}

void join_rejoin_stop(Join *join)
{
    for (uint32_t i = 0; i < join->connection_count && join->retry_count > 0; i++) {
        JoinConnection *connection = join->connections[i];
        if (connection->is_retrying) {
            set_retrying(connection, false);
            join_cut(connection);
        }
    }
}
