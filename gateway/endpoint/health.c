/*
 * health.c - "the gateway answers".  Rows of gateway.c's endpoints; no fiber, no bus, no allocation
 * by the gateway.
 */
#include "gateway/endpoint/health.h"
#include "gateway/endpoint/exchange.h"

void health_serve(struct exchange *exchange)
{
    struct answer answer = {.status = 200};

    exchange_reply(exchange, &answer);
}
