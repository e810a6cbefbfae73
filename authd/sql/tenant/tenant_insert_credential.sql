-- Adds passwords from another installation. Records hashes of other systems as import_note does.
-- Runs after tenant_account_lock.
-- call: tenant_add
with
-- include: tenant_insert(table = credential, match = {t.account_id = g.account_id},
--     project = :tenant_insert.project,
--     own = :tenant_insert.project),
-- include: audit(from = tenant_insert_found),
state_noted as (
    update import_state
    set changed_at = greatest(changed_at + 1, :audit.at)
    where single and exists (
        select
        from tenant_insert_added
        where password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$%'
    )
)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
