// tickproofd_http.h: the server's HTTP: from its configuration to an open door, and WebSockets from there to the rooms.
#pragma once

#include "serverconfig.h"
#include "web.h"

/// All zero: there is none.
typedef struct TickproofdHttp {
    Web       *web;
    WebOptions options; ///< as they will start; a handler may be put in before
} TickproofdHttp;

/// Listens at once. `config` must outlive it. False with the reason.
bool tickproofd_http_open(TickproofdHttp *http, Server *server, const ServerConfigHttp *config, tp_error *error);
/// Answers from now on. Nothing to one that is not open.
bool tickproofd_http_start(TickproofdHttp *http, tp_error *error);
/// Before the server is destroyed. Again is fine.
void tickproofd_http_close(TickproofdHttp *http);
