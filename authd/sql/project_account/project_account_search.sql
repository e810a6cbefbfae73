-- Reads a page of a project's accounts that have a search key beginning with `words`, which are
-- folded (0135_member_search.sql), in the order of the keys, see project_account_page. An account
-- with several such keys is listed only under the first. That condition is written without "not
-- exists" and "=", because PostgreSQL may then read all keys of the project. There is only one
-- lower bound: with a second one (key >= words besides the last page's row), PostgreSQL begins to
-- read at either of them, which took 150 ms for a million people.
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
--     state = :state, factor = :factor, admin = :admin, policy = :policy, also = {(
--         select n.key
--         from member_search n
--         where n.account_id = w.account_id and n.project_id is not distinct from :project
--             and n.key >= :words and n.key < w.key
--         limit 1
--     ) is null}, most = :most, now = :now)
