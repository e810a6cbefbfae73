-- Returns an account of a project. No row: the project has no such account.
-- class: read
-- in: project uuid, account uuid, organization uuid null, now int8
-- rows: one
-- row: struct project_account
select
    -- include: project_account_columns(project = :project, organization = :organization)
from account a
cross join lateral (
    select * from membership where account_id = a.id and project_id = :project limit 1
) m
where a.id = :account and
    -- include: account_active(account = a, now = :now)
