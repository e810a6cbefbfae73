-- Records an execution, unless its bot was deleted meanwhile, and its requester, unless the erasure
-- of that account has begun. Always writes the audit row.
-- class: write
-- in: project uuid, id uuid, bot uuid, started int8, duration_ms int8, outcome text, profile text
-- in: account uuid null
-- rows: none
with
inserted as (
    insert into execution (project_id, id, bot_id, started_at, duration_ms, outcome, profile)
    select
        b.project_id, :id, b.id, :started, :duration_ms, :outcome,
        case when not coalesce((select erasure_begun(:account)), false) then :profile end
    from bot b
    where b.project_id = :project and b.id = :bot
    returning id
),
-- include: audit(from = (select) one)
select from inserted
