/*
 * jwks.c - serves the key set (RFC 7517).  A row of gateway.c's endpoints.
 */
#include <string.h>

#include "gateway/exchange.h"
#include "gateway/jwks.h"
#include "gateway/serve.h"

void jwks_serve(struct exchange *exchange)
{
    struct gateway *gateway = exchange->gateway;
    struct answer answer = {.status = 200, .cache = "public, max-age=300"};
    struct request req;
    json_t *keys;

    warm_up_wait(gateway);
    serve_request(exchange, &req);
    if (keyring_ensure(gateway, &req, &exchange->err) < 0) {
        exchange_fail(exchange, NULL);
        return;
    }
    keys = key_set_jwks(gateway->keyring.set, req.now_ms);
    answer.body = codec_dump_json(exchange->arena, keys);
    answer.size = strlen(answer.body);
    json_decref(keys);
    exchange_reply(exchange, &answer);
}
