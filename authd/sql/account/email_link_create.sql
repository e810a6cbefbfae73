-- Creates an account's link of a kind, "verify" or "change" (part email_link_values), with its
-- email and audit row, and replaces an older one. No row: the account was deleted, or the address
-- is already verified for the link's organization (null: all).
-- class: write
-- in: account uuid, kind text, email text, project uuid, organization uuid null
-- rows: one
with
written as (
    insert into email_link (
        account_id, kind, id, secret_hash, email, project_id, installation, expires_at
    )
    select
        -- include: email_link_values as link(account = a.id, kind = :kind, email = :email, project = :project)
    from account a
    where a.id = :account and not (
        :kind = 'verify' and
        -- include: email_is_verified(account = a.id, organization = :organization)
    )
    for key share of a
    on conflict (account_id, kind) do update
    set id = excluded.id, secret_hash = excluded.secret_hash, email = excluded.email,
        project_id = excluded.project_id, installation = excluded.installation,
        expires_at = excluded.expires_at
    returning id
),
-- include: audit(from = written),
-- include: outbox as mail(from = written)
select from written
