-- Creates accounts with all their rows and an audit row each (`nil` in `event` stands for the
-- account's id). Each array from `lines` to `totps` has an item per account, which is four times as
-- fast as json_to_recordset(). `passkeys` is a JSON array of {line, id, rp_id, credential, handle,
-- algorithm, key, count, backed_up, name}, with bytes in hexadecimal. `verified`: the addresses are
-- verified for all projects. Returns the lines whose address another account has, or can reclaim by
-- undoing a change; that account stays unchanged. `ids` ascend with role and address, so that
-- parallel imports of the same addresses don't deadlock.
-- class: tx
-- in: now int8, project uuid, patient_policy uuid null, practitioner_policy uuid null
-- in: lines int8[], ids uuid[], memberships uuid[], profiles uuid[], roles text[], emails text[]
-- in: names text[], surnames text[], hashes text[], created int8[], totps bytea[]
-- in: passkeys text, rp_project uuid null, practitioner_rp_project uuid null
-- in: verified bool, event text, nil text
-- rows: many
-- row: line int8
with
given as materialized (
    select r.*, case when r.role = 'Patient' then :project::uuid end as home
    from unnest(
        :lines, :ids, :memberships, :profiles, :roles, :emails, :names, :surnames, :hashes,
        :created, :totps
    ) r (line, id, membership, profile, role, email, name, surname, hash, created, totp)
),
reserved as materialized (
    select u.email, u.role, u.home_id from email_undo u where u.email = any (:emails)
),
account_inserted as (
    insert into account (id, role, project_id, email, name, surname, created_at)
    select g.id, g.role, g.home, g.email, g.name, g.surname, g.created
    from given g
    where not exists (
        select
        from reserved u
        where u.email = g.email and u.role = g.role and u.home_id is not distinct from g.home
    )
    order by g.id
    on conflict do nothing
    returning id
),
inserted as materialized (
    select g.* from given g join account_inserted a on a.id = g.id
),
credential_inserted as (
    insert into credential (account_id, password_hash, updated_at)
    select id, hash, :now from inserted
),
membership_inserted as (
    insert into membership (project_id, id, account_id, profile_id, policy_id, created_at)
    select
        :project,
        membership,
        id,
        profile,
        case when role = 'Patient' then :patient_policy::uuid else :practitioner_policy::uuid end,
        :now
    from inserted
),
verified_inserted as (
    insert into email_verified (account_id, organization_id, verified_at)
    select id, '00000000-0000-0000-0000-000000000000', :now from inserted where :verified
),
factor_inserted as (
    insert into mfa_factor (account_id, secret_sealed, created_at, enrolled_at)
    select id, totp, :now, :now from inserted where totp is not null
),
passkey_inserted as (
    insert into passkey (
        id, account_id, rp_id, project_id, credential_id, user_handle, algorithm, public_key,
        sign_count, backed_up, name, created_at
    )
    select
        p.id,
        i.id,
        p.rp_id,
        case when i.role = 'Patient' then :rp_project::uuid else :practitioner_rp_project::uuid end,
        decode(p.credential, 'hex'),
        decode(p.handle, 'hex'),
        p.algorithm,
        decode(p.key, 'hex'),
        p.count,
        p.backed_up,
        p.name,
        :now
    from json_to_recordset(:passkeys::json) p (
        line bigint, id uuid, rp_id text, credential text, handle text, algorithm int, key text,
        count bigint, backed_up boolean, name text
    )
    join inserted i using (line)
),
audit_written as (
    insert into audit (project_id, at, entity, event)
    select :project, :now, 'Account/' || id, replace(:event, :nil, id::text)::json from inserted
)
select g.line
from given g
where not exists (select from inserted i where i.line = g.line)
order by g.line
