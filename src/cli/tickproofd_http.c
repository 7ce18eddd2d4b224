// tickproofd_http.c: see tickproofd_http.h.
#include "tickproofd_http.h"

#include <string.h>

#include "web_pages.h"

static void take(void *to, int socket, const uint8_t *bytes, size_t size)
{
    (void)server_take_ws(to, socket, bytes, size);
}

static void fill(WebOptions *options, Server *server, const ServerConfigHttp *config)
{
    web_options_standard(options);
    options->limits = (WebLimits){
        .connections = config->connections,
        .connections_per_address = config->connections_per_address,
        .requests_per_second = config->requests_per_second,
        .header_bytes_max = config->header_bytes,
        .body_bytes_max = config->body_bytes,
        .request_ms = config->request_ms,
        .idle_ms = config->idle_ms,
    };
    _Static_assert((int)SERVERCONFIG_NAMES_MAX <= (int)WEB_NAMES_MAX, "the door takes fewer names than the configuration");
    memcpy(options->hosts, config->hosts, sizeof(config->hosts));
    memcpy(options->origins, config->origins, sizeof(config->origins));
    options->host_count = config->host_count;
    options->origin_count = config->origin_count;
    options->play = (WebPlay){ take, server };
    options->files = web_pages;
    options->file_count = web_page_count;
}

bool tickproofd_http_open(TickproofdHttp *http, Server *server, const ServerConfigHttp *config, tp_error *error)
{
    http->web = web_create(error);
    if (http->web == NULL || !web_listen(http->web, config->listen, error) ||
        !server_expect_ws(server, web_address(http->web, 0), web_port(http->web, 0), error)) {
        tickproofd_http_close(http);
        return false;
    }
    fill(&http->options, server, config);
    return true;
}

bool tickproofd_http_start(TickproofdHttp *http, tp_error *error)
{
    return http->web == NULL || web_start(http->web, &http->options, error);
}

void tickproofd_http_close(TickproofdHttp *http)
{
    web_destroy(http->web);
    http->web = NULL;
}
