-- Returns the account with an id, or those with an email address, limited by `role` and `project`
-- if given. Two rows: ambiguous.
-- class: read
-- in: id uuid null, email text null, role role null, project uuid null, now int8
-- rows: many
-- row: struct user
(
    select
        -- include: user_columns(now = :now)
    from account a
    where a.id = :id and
        -- include: account_active(account = a, now = :now)
)
union all
(
    select
        -- include: user_columns(now = :now)
    from account a
    where a.email = :email and (:role is null or a.role = :role)
        and (:project is null or exists (
            select from membership m where m.account_id = a.id and m.project_id = :project
        )) and
        -- include: account_active(account = a, now = :now)
    limit 2
)
