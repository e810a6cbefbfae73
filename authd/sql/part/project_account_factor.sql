-- True if account a has a second factor in {project}: a code, or a passkey that opens the project.
-- With "exists", PostgreSQL may read all passkeys.
-- args: project
(coalesce(
    -- include: factor_enrolled(account = a.id)
, false) or (
    select k.id
    from passkey k
    where k.account_id = a.id and (k.project_id is null or k.project_id = {project})
    limit 1
) is not null)
