-- Adds a passkey to an account that has fewer than `most`, and gives the session a second factor.
-- The transaction holds the credential's lock, so that a concurrent enrollment is counted. No row:
-- it has `most`. ERR_CONFLICT: the relying party already has this credential id.
-- class: tx
-- in: session_project uuid null, session uuid
-- in: id uuid, account uuid, rp_id text, project uuid null, opens uuid, credential_id bytea
-- in: user_handle bytea, algorithm int8, public_key bytea, sign_count int8, backed_up bool
-- in: name text, now int8, most int8
-- rows: one
with
created as (
    insert into passkey (
        id, account_id, rp_id, project_id, opens_id, credential_id, user_handle, algorithm,
        public_key, sign_count, backed_up, name, created_at
    )
    select
        :id, :account, :rp_id, :project, :opens, :credential_id, :user_handle, :algorithm,
        :public_key, :sign_count, :backed_up, :name, :now
    where (select count(*) from passkey where account_id = :account) < :most
    returning 1
),
marked as (
    update session
    set second_factor = true
    where project_id = :session_project and id = :session and exists (select from created)
),
account_marked as (
    update account_session
    set second_factor = true
    where :session_project is null and id = :session and exists (select from created)
),
-- include: audit(from = created)
select from created
