-- Creates everything that a registration creates, or nothing: account, credential, membership,
-- session, emails (a welcome and a verification link, either can be absent) and audit row. A
-- registration by the link of a continue-as-patient email spends that link, continue_id. No row: it
-- was already spent, or people with the address must sign in with an identity provider. A unique
-- index rejects a second registration of an address.
-- class: write
-- in: now int8, account uuid, role role, home uuid null, email text, name text, surname text
-- in: password_hash text, project uuid, membership uuid, profile uuid, policy uuid null
-- in: continue_id uuid null, continue_until int8, signs_in bool
-- rows: one
with
continue_consumed as (
    insert into continue_spent (id, until)
    select :continue_id, :continue_until
    where :continue_id is not null
    on conflict (id) do nothing
    returning id
),
account_inserted as (
    insert into account (id, role, project_id, email, name, surname, created_at)
    select :account, :role, :home, :email, :name, :surname, :now
    where (:continue_id is null or exists (select from continue_consumed))
        and not enforced_hold(:session.above, null, :role, :email, null)
    returning id
),
-- include: address_key_insert(from = account_inserted),
credential_inserted as (
    insert into credential (account_id, password_hash, updated_at)
    select id, :password_hash, :now from account_inserted
),
membership_inserted as (
    insert into membership (project_id, id, account_id, profile_id, policy_id, created_at)
    select :project, :membership, id, :profile, :policy, :now from account_inserted
    returning id, account_id, profile_id
),
signed_in as (
    select account_id, null::uuid as identity_id, null as provider_sid, id as membership_id,
        profile_id, :role as role
    from membership_inserted
    where :signs_in
),
-- include: session_insert as session(from = signed_in),
-- include: address_known(key = :session.pair_key, until = :session.pair_until, from = session_inserted),
-- include: client_known(address_key = :session.address_key, user_agent_key = :session.user_agent_key, now = :now, from = session_inserted),
link_inserted as (
    insert into email_link (
        account_id, kind, id, secret_hash, email, project_id, installation, expires_at
    )
    select
        -- include: email_link_values as link(account = account_id, kind = 'verify', email = :email, project = :project)
    from membership_inserted
    where :link.id is not null
),
-- include: outbox as welcome(from = membership_inserted),
-- include: outbox as verification(from = membership_inserted),
-- include: audit(from = membership_inserted)
select from membership_inserted
