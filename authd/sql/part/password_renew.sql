-- Replaces the password hash of the account of {from} (account_id) by one with current parameters,
-- if there is one and the password has not changed; not while a project of the account is read-only
-- (common/service/project_read_only.h). `former`: the verified hash. `changes`, which sign-ins
-- compare, stays. {from} locks the account's row first, as a deletion does.
-- args: from
-- in: former text null, hash text null, now int8
{as}_renewed as (
    update credential c
    set password_hash = :hash, updated_at = :now
    from {from} f
    where :hash is not null and c.account_id = f.account_id and c.password_hash = :former
        and not exists (
            select
            from membership m
            where m.account_id = f.account_id and not
                -- include: not_held(project = m.project_id)
        )
    returning c.account_id, c.changes
)
