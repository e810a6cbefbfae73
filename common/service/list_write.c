/* list_write.c - see list_write.h. */
#include "common/service/list_write.h"

struct list_in {
    struct uuid project;
};

static int read_size(const struct list_write *self, const struct request *req,
                     struct list_size *ret, struct error *err)
{
    const struct list_in in = {self->project};

    return sql_run_tx(self->tx, req, *self->rule->size, &in, ret, err);
}

int list_write_begin(struct list_write *self, struct db *db, const struct request *req,
                     struct error *err)
{
    const struct list_in in = {self->project};

    return db_begin(db, req->deadline_mono_ms, &self->tx, err) < 0 ||
                   sql_run_tx(self->tx, req, *self->rule->lock, &in, NULL, err) < 0 ||
                   read_size(self, req, &self->before, err) < 0
               ? -1
               : 0;
}

int list_write_commit(struct list_write *self, const struct request *req, struct error *err)
{
    struct list_size after = {0};

    if (read_size(self, req, &after, err) < 0 ||
        list_limit_check(&self->rule->limit, &self->before, &after, err) < 0)
        return -1;
    return db_commit(&self->tx, err);
}

void list_write_end(struct list_write *self)
{
    db_tx_destroy(&self->tx);
}
