-- Claims due logouts under a lease: at most `each` per client, so that a client that does not
-- answer delays no other, and `most` in total.
-- class: write
-- in: now int8, until int8, lease uuid, each int8, most int8
-- rows: many
-- row: project uuid, session uuid, client_id text, subject uuid, created_at int8, attempts int8
with
due as (
    select ctid as at, project_id, client_id, due_at
    from logout_delivery
    where state = 'waiting' and due_at <= :now
    order by due_at
    limit 1000
    for update skip locked
),
ranked as (
    select at, row_number() over (partition by project_id, client_id order by due_at) as place
    from due
)
update logout_delivery
set due_at = :until, lease = :lease
where ctid = any (array(select at from ranked where place <= :each limit :most))
returning project_id as project, session_id as session, client_id, subject, created_at, attempts
