-- Adds a project's tenant code from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = tenant_code, match = {t.code = g.code}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
