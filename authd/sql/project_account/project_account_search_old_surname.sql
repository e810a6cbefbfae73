-- As project_account_search_old_name, of those whose family name begins with `search`, while neither
-- the address nor both names do.
-- call: project_account_read
with
walked as materialized (
    -- include: project_account_walk_search(table = account, id = r.id,
    --     key = {lower(r.surname) collate "C"}, project = :project, patients = :patients,
    --     search = {lower(:search)}, after_key = :after_key, after = :after, walk = :walk)
)
-- include: project_account_page(project = :project, organization = :organization, role = null,
--     state = :state, also = {not starts_with(a.email, lower(:search))
--         and not starts_with(lower(a.name || ' ' || a.surname), lower(:search))
--         and (
--             select n.key from account_name n where n.account_id = w.account_id limit 1
--         ) is null}, most = :most,
--     now = :now)
