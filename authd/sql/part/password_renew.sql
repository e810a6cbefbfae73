-- Replaces the hash of the account of {from} (account_id) by one of present parameters, when there
-- is one and the password has not changed meanwhile; not while a project of the account is
-- read-only (common/service/project_read_only.h). `former` is the hash that was verified. What sign-ins ask of a
-- credential, `changes`, stays. {from} holds the account's row, which a deletion locks first, too.
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
