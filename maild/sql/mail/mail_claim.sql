-- Claims due messages for this process until the lease ends, up to `most`. The installation's own
-- messages have the nil UUID as project. The array makes the planner read the index of due messages
-- first, see common/service/sql/outbox/outbox_claim.sql.
-- class: write
-- in: now int8, until int8, lease uuid, most int8
-- rows: many
-- row: id uuid, project uuid null, template text, language text, default_language text
-- row: sealed bytea, attempts int8, answers int8, unknowns int8, created_at int8
-- row: expires_at int8 null
update message m
set due_at = :until, lease = :lease, attempts = attempts + 1, tried_at = :now
where m.id = any (array(
    select id
    from message
    where state = 'queued' and due_at <= :now
    order by due_at
    limit :most
    for update skip locked
))
returning
    m.id, nullif(m.project_id, '00000000-0000-0000-0000-000000000000'::uuid) as project,
    m.template, m.language, m.default_language, m.sealed, m.attempts, m.answers, m.unknowns,
    m.created_at, m.expires_at
