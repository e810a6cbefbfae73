-- Queues the email that an export is ready. The id makes it idempotent.
-- class: write
-- in: account uuid, id uuid, method text, body bytea, at int8
-- rows: none
insert into outbox (id, method, body, created_at, due_at)
select :id, :method, :body, :at, :at
from account
where id = :account
on conflict (id) do nothing
