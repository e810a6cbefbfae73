-- Adds passkeys from another installation. A passkey also counts as the same after it was used or
-- renamed here. It opens the project, or for passkeys of releases that didn't record it, whatever
-- authd finds out: a file can't make it open other projects. Runs after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = passkey, match = {t.id = g.id},
--     project = {case
--         when coalesce(g.opens_id, :tenant_insert.project) = :tenant_insert.project
--         then coalesce(g.project_id, :tenant_insert.project)
--     end}, own = :tenant_insert.project,
--     state = {json_populate_record(t,
--     '{"sign_count":0,"backed_up":false,"name":"","last_used_at":null}')},
--     given = {json_populate_record(g,
--     '{"sign_count":0,"backed_up":false,"name":"","last_used_at":null}')},
--     row = {case
--         when e.value -> 'opens_id' is null
--         then (left(e.value::text, -1) || ',"opens_id":null}')::json
--         else e.value
--     end}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
