-- Disables a webhook whose receiver has answered 410. No row: already disabled, or claimed by
-- another process.
-- class: write
-- in: project uuid, id uuid, lease uuid, now int8
-- rows: one
with
gone as (
    update webhook
    set enabled = false, gone_at = :now
    where project_id = :project and id = :id and enabled
        and exists (select from webhook_queue where webhook_id = :id and lease = :lease)
    returning id
),
-- include: audit(from = gone)
select from gone
