-- Deletes an account and all rows that belong to it. Runs behind deletion_lock, and behind the
-- statements that delete what others lock before the counter of changes. A practitioner's, who has
-- no home, leaves a row in the trail of each project too.
-- class: tx
-- in: account uuid
-- rows: one
with
left_projects as materialized (
    select m.project_id
    from membership m
    join account a on a.id = m.account_id
    where m.account_id = :account and a.project_id is null
),
deleted as (
    delete from account where id = :account returning id
),
-- include: audit(from = deleted),
-- include: audit as place(from = left_projects p, project = p.project_id)
select from deleted
