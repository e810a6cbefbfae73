-- Begins a sign-in by an emailed code. With an account, also writes the email and the audit row;
-- without one, no code ever matches.
-- class: write
-- in: id_hash bytea, code_hash bytea, role role, tenant uuid, email text, account uuid null
-- in: challenge text, expires_at int8
-- rows: none
with
written as (
    insert into mail_code (
        id_hash, code_hash, role, tenant_id, email, account_id, challenge, expires_at
    )
    values (:id_hash, :code_hash, :role, :tenant, :email, :account, :challenge, :expires_at)
    returning account_id
),
mailed as (
    select from written where account_id is not null
),
-- include: audit(from = mailed),
-- include: outbox as mail(from = mailed)
select
