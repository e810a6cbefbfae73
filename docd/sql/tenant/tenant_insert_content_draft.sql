-- Adds a project's drafts of content from another installation.
-- call: tenant_add
with
-- include: tenant_insert(table = content_draft,
--     match = {t.type = g.type and t.key = g.key and t.language = g.language}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
