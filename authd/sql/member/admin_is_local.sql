-- True if an admin of the project can sign in without an identity provider.
-- class: tx
-- in: project uuid
-- rows: one
-- row: local bool
select exists (
    select
    from membership m
    cross join
        -- include: account_of(row = m)
    where m.project_id = :project and
        -- include: local_admin(account = a, membership = m)
) as local
