-- A page of the accounts of a project that an operator has locked, or whose deletion is scheduled,
-- in the order of their ids: patients, or practitioners, who are read of all projects; see
-- project_account_page. Not those that project_account_list_locked has.
-- call: project_account_read
with
walked as materialized (
    (
        select a.id as account_id, a.id, '' collate "C" as key
        from account a
        where :patients and a.project_id = :project and a.id > :after
            and coalesce(a.locked_at, a.delete_at) is not null
        order by a.id
        limit :walk
    )
    union all
    (
        select a.id as account_id, a.id, '' collate "C" as key
        from account a
        where not :patients and a.project_id is null and a.id > :after
            and coalesce(a.locked_at, a.delete_at) is not null
        order by a.project_id, a.id
        limit :walk
    )
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, also = m.locked_at is null, most = :most, now = :now)
