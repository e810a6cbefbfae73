-- Adds a project's settings history from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = setting_history, match = {t.version = g.version and t.name = g.name}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
