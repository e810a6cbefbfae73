-- Deletes a page of patients without a membership of a project during its deletion.
-- class: write
-- in: project uuid, most int8
-- rows: one
-- row: removed int8
with
due as materialized (
    select id
    from account
    where role = 'Patient' and project_id = :project
    order by project_id, email
    limit :most
    for update
),
undos_deleted as (
    delete from email_undo where account_id = any (array(select id from due))
),
factors_deleted as (
    delete from mfa_pending where account_id = any (array(select id from due))
),
deleted as (
    delete from account where id = any (array(select id from due)) returning id
),
-- include: audit(from = deleted, entity = coalesce(:audit.entity, 'Account/' || id))
select count(*) as removed from deleted
