-- Adds verifications of addresses for the project's organization, from another installation. Runs
-- after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = email_verified, match = {t.account_id = g.account_id},
--     project = g.organization_id, own = t.organization_id),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
