/* pq.h - CLEANUP functions for libpq's objects; each accepts NULL. */
#ifndef ATRIUM_CTL_PQ_H
#define ATRIUM_CTL_PQ_H

#include <libpq-fe.h>

static inline void pq_finish(PGconn **connection)
{
    PQfinish(*connection);
}

static inline void pq_clear(PGresult **result)
{
    PQclear(*result);
}

#endif
