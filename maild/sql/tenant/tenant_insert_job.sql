-- Adds what is to be done for accounts of a project, from another installation. It is the same also
-- when it was tried or done since.
-- call: tenant_add
with
-- include: tenant_insert(table = job, match = {t.id = g.id},
--     state = {(t.kind, t.due_at, t.account_id, t.schedule_id, t.created_at)},
--     given = {(g.kind, g.due_at, g.account_id, g.schedule_id, g.created_at)}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
