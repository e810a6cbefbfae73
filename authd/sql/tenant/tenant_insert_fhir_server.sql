-- Adds a project's FHIR servers from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = fhir_server, match = {t.id = g.id}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
