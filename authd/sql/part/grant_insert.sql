-- Creates the grant of each row of {from}, which has account_id, scope, resource, signed_in_at,
-- patient_id, id_claims and id_acr: a session of `member` with its row of oauth_grant (part
-- grant_member). The person's last proof is the sign-in of `parent`. Stores no address, since the
-- request is the client's. Without offline_access the grant ends with {parent}.
-- args: from, parent
-- in: project uuid, id uuid, client_id text, client_name text, offline bool, jkt text null
-- in: address text, browser text null, os text null, now int8, refresh_hash bytea
-- in: idle_until int8, absolute_until int8, grant_types text, first_party bool
{as}_inserted as (
    insert into session (
        project_id, id, account_id, membership_id, profile_id, role, auth_method, second_factor,
        remote_address, browser, os, created_at, last_updated, proven_at, refresh_hash, idle_until,
        absolute_until, identity_id, provider_sid
    )
    select
        :project, :id, f.account_id, m.id, m.profile_id, p.role, p.auth_method, p.second_factor,
        :address, :browser, :os, :now, :now, f.signed_in_at, :refresh_hash,
        :idle_until, case when :offline then :absolute_until
            else least(:absolute_until, p.absolute_until) end,
        p.identity_id, p.provider_sid
    from {from} f, member m, parent p
    returning account_id
),
{as}_noted as (
    insert into oauth_grant (
        project_id, session_id, client_id, client_name, scope, resource, parent_id, signed_in_at,
        jkt, created_at, patient_id, id_claims, id_acr, grant_types, first_party
    )
    select
        :project, :id, :client_id, :client_name, f.scope, f.resource,
        case when :offline then null else {parent} end, f.signed_in_at, :jkt, :now,
        f.patient_id, f.id_claims, f.id_acr, :grant_types, :first_party
    from {from} f, {as}_inserted
)
