-- Adds passkeys, from another installation. One is the same also when it was used or renamed since.
-- Runs behind tenant_account_lock.
-- class: tx
-- rows: one
-- row: added int8, same int8
with
-- include: tenant_insert(table = passkey, match = {t.id = g.id},
--     project = {coalesce(g.project_id, :tenant_insert.project)}, own = :tenant_insert.project,
--     state = {json_populate_record(t,
--     '{"sign_count":0,"backed_up":false,"name":"","last_used_at":null}')},
--     given = {json_populate_record(g,
--     '{"sign_count":0,"backed_up":false,"name":"","last_used_at":null}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
