-- Reads a page of a project's accounts that an admin or operator has locked, or whose deletion is
-- scheduled, in the order of their ids, see project_account_page. Reads practitioners of all
-- projects, because their accounts have no project_id.
-- call: project_account_read
with
walked as materialized (
    (
        select m.account_id, m.account_id as id, '' collate "C" as key
        from membership m
        where m.project_id = :project and m.locked_at is not null and m.account_id > :after
        order by m.account_id
        limit :walk
    )
    union
    (
        select a.id as account_id, a.id, '' collate "C" as key
        from account a
        where a.project_id = :project and a.id > :after
            and coalesce(a.locked_at, a.delete_at) is not null
        order by a.id
        limit :walk
    )
    union
    (
        select a.id as account_id, a.id, '' collate "C" as key
        from account a
        where a.project_id is null and a.id > :after
            and coalesce(a.locked_at, a.delete_at) is not null
        order by a.project_id, a.id
        limit :walk
    )
    order by id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, factor = :factor, admin = :admin, policy = :policy, also = true, most = :most,
--     now = :now)
