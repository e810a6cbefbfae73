-- Adds accounts' last sign-ins to a project from another installation. A row also counts as the
-- same after a later sign-in here. Runs after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = last_sign_in, match = {t.account_id = g.account_id},
--     state = {json_populate_record(t, '{"at":0}')},
--     given = {json_populate_record(g, '{"at":0}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
