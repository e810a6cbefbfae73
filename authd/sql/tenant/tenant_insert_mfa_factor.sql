-- Adds second factors from another installation. A factor also counts as the same after its use
-- here. Runs after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = mfa_factor, match = {t.account_id = g.account_id},
--     project = :tenant_insert.project,
--     own = :tenant_insert.project,
--     state = {json_populate_record(t, '{"secret_sealed":null,"last_step":0,"failures":[]}')},
--     given = {json_populate_record(g, '{"secret_sealed":null,"last_step":0,"failures":[]}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
