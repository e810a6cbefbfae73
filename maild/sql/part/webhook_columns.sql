-- Columns of struct webhook, from {from}.
-- args: from
{from}.id,
{from}.url,
array_to_json({from}.events)::text as events,
{from}.enabled,
{from}.format,
{from}.audience,
coalesce({from}.gone_at, 0) as "goneAt",
coalesce((
    select q.failing_since from webhook_queue q where q.webhook_id = {from}.id
), 0) as "failingSince",
coalesce({from}.previous_until, 0) as "previousSecretUntil",
{from}.created_at as "createdAt",
{from}.updated_at as "lastUpdated"
