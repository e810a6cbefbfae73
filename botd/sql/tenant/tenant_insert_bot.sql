-- Adds a project's bots and identifiers from another installation. A program must be a plain file
-- name, as in check_program(). Releases before 0.2 let bots share an identifier: the first of them
-- keeps it.
-- call: tenant_add
with
-- include: tenant_insert(table = bot,
--     match = {t.id = g.id},
--     project = {case when g.program is null or g.program ~ '^[A-Za-z0-9_-][A-Za-z0-9._-]*$'
--         then g.project_id end},
--     state = {json_populate_record(t, '{"secrets_sealed":null,"signing_sealed":null}')},
--     given = {json_populate_record(g, '{"secrets_sealed":null,"signing_sealed":null}')}),
-- include: bot_identifiers(from = tenant_insert_added, free = {not exists (
--     select
--     from bot_identifier o
--     where o.project_id = b.project_id and o.value = i.value and o.system = coalesce(i.system, '')
--     offset 0
-- )}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
