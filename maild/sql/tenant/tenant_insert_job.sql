-- Adds jobs for a project's accounts, from another installation. Repeating the call after the job
-- was tried or done is fine.
-- call: tenant_add
with
-- include: tenant_insert(table = job, match = {t.id = g.id},
--     state = {(t.kind, t.due_at, t.account_id, t.schedule_id, t.created_at)},
--     given = {(g.kind, g.due_at, g.account_id, g.schedule_id, g.created_at)}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
