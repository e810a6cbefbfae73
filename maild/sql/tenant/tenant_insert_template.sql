-- Adds a project's mail templates from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = template,
--     match = {t.name = g.name and t.language = g.language}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
