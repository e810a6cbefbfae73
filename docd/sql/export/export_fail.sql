-- Marks this attempt's export as failed; its row expires at `until`.
-- class: write
-- in: project uuid, id uuid, lease uuid, until int8
-- rows: none
with
updated as (
    update export
    set state = 'failed', due_at = :until, lease = null
    where project_id = :project and id = :id and lease = :lease
    returning *
),
-- include: audit(from = updated)
select from updated
