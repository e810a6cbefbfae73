-- Creates the session of each sign-in {from}, which has account_id, identity_id, provider_sid,
-- membership_id, profile_id and role, and records the account's last sign-in. Makes none for a
-- person who must sign in with another identity provider. The keys are hashes
-- (authd/credential/throttle.h, authd/signin/arrival.h) for the parts address_known and
-- client_known. `above`: the project with those above it.
-- args: from
-- in: above uuid[], project uuid, id uuid, auth_method text, address text, browser text null, os text null
-- in: now int8, refresh_hash bytea, cookie_hash bytea null, idle_until int8, absolute_until int8
-- in: pair_key bytea, pair_until int8, address_key bytea, user_agent_key bytea
{as}_inserted as (
    insert into session (
        project_id, id, account_id, membership_id, profile_id, role, auth_method, remote_address,
        browser, os, created_at, last_updated, refresh_hash, cookie_hash, idle_until,
        absolute_until, identity_id, provider_sid
    )
    select
        :project, :id, f.account_id, f.membership_id, f.profile_id, f.role, :auth_method, :address,
        :browser, :os, :now, :now, :refresh_hash, :cookie_hash, :idle_until, :absolute_until,
        f.identity_id, f.provider_sid
    from {from} f
    where not enforced_hold(:above, f.account_id, f.role, null, f.identity_id)
    returning account_id, membership_id, profile_id
),
{as}_last as (
    insert into last_sign_in (account_id, project_id, at)
    select account_id, :project, :now from {as}_inserted
    on conflict (account_id, project_id) do update set at = greatest(last_sign_in.at, excluded.at)
)
