-- As project_account_search_email, of those a name of whom begins with `words`, which are folded
-- (0125_account_name.sql), while the address does not begin with `search`. One who is found by
-- several names is among them by the first (not "not exists", for which all names may be read).
-- call: project_account_read
with
walked as materialized (
    -- include: project_account_walk_search(table = account_name, id = r.account_id, key = r.key,
    --     project = :project, patients = :patients, search = :words,
    --     after_key = :after_key, after = :after, walk = :walk)
)
-- include: project_account_page(project = :project, organization = :organization, role = null,
--     state = :state, also = {not starts_with(a.email, lower(:search)) and (
--         select n.key
--         from account_name n
--         where n.account_id = w.account_id and n.key >= :words and n.key < w.key
--         limit 1
--     ) is null}, most = :most, now = :now)
