-- As project_account_search_email, of those whose names, the given name first, begin with `search`,
-- while the address does not; of accounts whose names are not folded yet (0126_account_name_due.sql).
-- call: project_account_read
with
walked as materialized (
    -- include: project_account_walk_search(table = account, id = r.id,
    --     key = {lower(r.name || ' ' || r.surname) collate "C"}, project = :project, patients = :patients,
    --     search = {lower(:search)}, after_key = :after_key, after = :after, walk = :walk)
)
-- include: project_account_page(project = :project, organization = :organization, role = null,
--     state = :state, also = {not starts_with(a.email, lower(:search))
--         and (
--             select n.key from account_name n where n.account_id = w.account_id limit 1
--         ) is null}, most = :most,
--     now = :now)
