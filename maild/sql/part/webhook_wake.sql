-- Makes the waiting deliveries of webhooks {from} (id, project_id) due now, whatever failed before.
-- args: from
-- in: now int8
{as}_queue as (
    insert into webhook_queue as q (webhook_id, project_id, additions, due_at)
    select id, project_id, 1, :now::bigint from {from}
    on conflict (webhook_id) do update set
        additions = q.additions + 1,
        due_at = case when q.lease is null then :now else q.due_at end,
        failures = case when q.lease is null then 0 else q.failures end,
        failing_since = case when q.lease is null then null else q.failing_since end
)
