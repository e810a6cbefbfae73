/* health.c - "the gateway answers": no fiber, no bus, no allocation. */
#include "gateway/endpoint/health.h"
#include "gateway/endpoint/exchange.h"

void health_serve(struct exchange *exchange)
{
    struct answer answer = {.status = 200};

    exchange_reply(exchange, &answer);
}
