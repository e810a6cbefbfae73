-- Deletes an account and all its rows. Runs after deletion_lock, and after the statements that
-- delete rows which others lock before the change counter. A practitioner, who has no home project,
-- gets an audit row in each of their projects.
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
