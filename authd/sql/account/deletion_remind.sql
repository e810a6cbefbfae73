-- Queues the reminder of a deletion whose schedule is valid. The id makes it idempotent.
-- class: write
-- in: account uuid, schedule uuid, now int8, id uuid, method text, body bytea, at int8
-- rows: none
insert into outbox (id, method, body, created_at, due_at)
select :id, :method, :body, :at, :at
from account
where id = :account and delete_schedule = :schedule and delete_at > :now
on conflict (id) do nothing
