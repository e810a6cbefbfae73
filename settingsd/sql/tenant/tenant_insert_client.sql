-- Adds a project's client applications from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = client, match = {t.id = g.id}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
