-- True when the membership is an admin's and no other admin of the project is active: neither
-- locked nor scheduled for deletion.
-- class: tx
-- in: project uuid, membership uuid
-- rows: one
-- row: last bool
select
    exists (
        select from membership where project_id = :project and id = :membership and admin
    ) and not exists (
        select
        from membership m
        cross join
            -- include: account_of(row = m)
        where m.project_id = :project and m.admin and m.id <> :membership
            and a.delete_at is null and m.end_at is null and not
            -- include: member_locked(account = a, membership = m)
    ) as last
