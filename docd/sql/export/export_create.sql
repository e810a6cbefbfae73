-- Queues an export, unless the same one is pending. No row: it is pending, or `most` that have not
-- failed were requested since `since`. A row without an id: the erasure of the account, or of the
-- requester's, has begun.
-- class: write
-- in: project uuid, id uuid, account uuid, role role, profile uuid, asked_by uuid, now int8
-- in: since int8, most int8
-- rows: one
-- row: struct account_export
with
erasure as materialized (
    select erasure_begun(:account) or erasure_begun(:asked_by) as begun
),
inserted as (
    insert into export (
        project_id, id, account_id, role, profile_id, asked_by, created_at, state, attempts, due_at
    )
    select :project, :id, :account, :role, :profile, :asked_by, :now, 'pending', 0, :now
    from erasure
    where not begun and (
        select count(*)
        from export e
        where e.project_id = :project and e.asked_by = :asked_by and e.account_id = :account
            and e.created_at > :since and e.state <> 'failed'
    ) < :most
    on conflict (project_id, asked_by, account_id) where state = 'pending' do nothing
    returning *
),
-- include: audit(from = inserted)
select
    -- include: export_columns(from = e)
from erasure
left join inserted e on true
where begun or e.id is not null
