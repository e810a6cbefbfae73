-- Moves the place in a daemon's audit log to `sequence` and adds a delivery for each webhook that
-- wants an event. `events` is a JSON array of {id, project, lane, type, at, body}, in order. moved
-- 0: nothing was added, because another instance was faster, or a project that is not among
-- `projects` (null: all) now has a webhook. A webhook gets events since its creation; the clocks of
-- hosts may differ by a second.
-- class: write
-- in: source text, read_to int8 null, projects uuid[] null, sequence int8, events text
-- in: now int8
-- rows: one
-- row: moved int8, added int8
with
moved as (
    update webhook_source
    set sequence = :sequence
    where source = :source and sequence is not distinct from :read_to
        and (:projects::uuid[] is null or not exists (
            select
            from webhook
            where enabled and project_id > '00000000-0000-0000-0000-000000000000'
                and project_id <> all (:projects)
        ))
    returning 1
),
event as materialized (
    select e.n, v.id, v.project, v.lane, v.type, v.at, v.body
    from json_array_elements(:events::json) with ordinality as e (value, n),
        json_to_record(e.value) as v (
            id uuid, project uuid, lane uuid, type text, at bigint, body json
        )
    where exists (select from moved)
),
inserted as (
    insert into webhook_delivery (
        project_id, webhook_id, event_id, lane, type, body, happened_at, created_at, due_at
    )
    select w.project_id, w.id, e.id, e.lane, e.type, e.body::text, e.at, :now, :now
    from event e
    join webhook w on w.project_id = e.project
    where w.enabled and e.type = any (w.events) and e.at >= w.created_at - 1000
    order by e.n
    returning project_id, webhook_id
),
queued as (
    insert into webhook_queue as q (webhook_id, project_id, additions, due_at)
    select distinct webhook_id, project_id, 1, :now::bigint from inserted order by webhook_id
    on conflict (webhook_id) do update set
        additions = q.additions + 1,
        due_at = case when q.lease is null and q.failures = 0 then :now else q.due_at end
)
select (select count(*) from moved) as moved, (select count(*) from inserted) as added
