-- A message to another daemon, see common/service/outbox.h; from {from}, where id is not null.
-- args: from
-- in: id uuid null, method text null, body bytea null, at int8
{as}_written as (
    insert into outbox (id, method, body, created_at, due_at)
    select :id, :method, :body, :at, :at from {from} where :id is not null
)
