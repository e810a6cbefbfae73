-- Changes an account's email address, and adds an undo link, emailed to the old address, with the
-- old address's verifications. No row: the account's address is not `old_email`. A unique index
-- rejects an address that another account has.
-- class: tx
-- in: account uuid, old_email text, email text, now int8, undo uuid, undo_hash bytea
-- in: undo_until int8, project uuid, installation bool
-- rows: one
with
locked as materialized (
    select id, role, project_id
    from account
    where id = :account and email = :old_email
    for no key update
),
undo_inserted as (
    insert into email_undo (
        id, account_id, role, home_id, email, secret_hash, project_id, installation, organizations,
        changed_at, expires_at
    )
    select
        :undo, l.id, l.role, l.project_id, :old_email, :undo_hash, :project, :installation,
        array(select v.organization_id from email_verified v where v.account_id = l.id), :now,
        :undo_until
    from locked l
),
changed as (
    update account a
    set email = :email
    from locked l
    where a.id = l.id
    returning a.id
),
-- include: outbox as mail(from = changed),
-- include: audit(from = changed)
select from changed
