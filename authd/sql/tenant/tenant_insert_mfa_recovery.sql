-- Adds recovery codes from another installation. A code also counts as the same after its use here.
-- Runs after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = mfa_recovery,
--     match = {t.account_id = g.account_id and t.code_hash = g.code_hash},
--     project = :tenant_insert.project, own = :tenant_insert.project,
--     state = {json_populate_record(t, '{"used_at":null}')},
--     given = {json_populate_record(g, '{"used_at":null}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
