-- A page of the accounts of a project a search key of whom begins with `words`, which are folded
-- (0135_member_search.sql), in the order of the keys, see project_account_page. Who is found by
-- several keys is listed by the first: "not exists", or "=", for which all keys of the project may be
-- read, are avoided. There is one lower bound: with key >= words beside the row that the page begins
-- after, PostgreSQL begins to read at either of them, and with a million people took 150 ms to the
-- first that fits.
-- call: project_account_read
with
walked as materialized (
    select n.account_id, n.account_id as id, n.key
    from member_search n
    where n.project_id = :project and n.key < :words || chr(1114111)
        and (n.key, n.account_id) > (greatest(:after_key collate "C", :words collate "C"), :after)
    order by n.key, n.account_id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, also = {(
--         select n.key
--         from member_search n
--         where n.account_id = w.account_id and n.project_id is not distinct from :project
--             and n.key >= :words and n.key < w.key
--         limit 1
--     ) is null}, most = :most, now = :now)
