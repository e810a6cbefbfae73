-- Whether a membership is that of the only admin of a project whose account is neither about to be
-- deleted nor locked.
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
        where m.project_id = :project and m.admin and m.id <> :membership and exists (
            select
            from account a
            where a.id = m.account_id and a.delete_at is null and a.locked_at is null
        )
    ) as last
