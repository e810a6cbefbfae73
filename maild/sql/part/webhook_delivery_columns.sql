-- Columns of struct webhook_delivery, from a delivery {from} and the retried delivery {before} that it
-- waits for. A waiting delivery fails `lifetime` after its creation.
-- args: from, before
-- in: lifetime int8
{from}.sequence as id,
{from}.event_id as event,
{from}.type,
{from}.state,
{from}.attempts,
{from}.happened_at as "happenedAt",
coalesce({from}.tried_at, 0) as "triedAt",
coalesce({from}.duration, -1) as duration,
case when {from}.state = 'waiting' then {from}.due_at else 0 end as "nextAt",
case when {from}.state = 'waiting' then {from}.created_at + :lifetime else 0 end as "expiresAt",
coalesce({before}.first, 0) as "waitsFor",
coalesce({from}.status, 0) as status,
{from}.error
