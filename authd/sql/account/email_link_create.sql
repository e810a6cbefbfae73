-- Gives an account its link of a kind, "verify" or "change" (part email_link_values), in place of
-- an older one, with the mail and the audit row. No row: the account was deleted, or there is
-- nothing to verify, because the address is verified for the organisation that the link could
-- verify it for (null: for all).
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
