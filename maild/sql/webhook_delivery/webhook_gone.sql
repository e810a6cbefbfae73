-- Switches a webhook off whose receiver has answered 410. No row: it is off, or another process has
-- claimed it.
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
