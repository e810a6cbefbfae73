-- Adds a project's translation days from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = translation_day, match = {t.day = g.day}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
