-- Enforced identity providers: people whom one covers sign in to its project, and to those below
-- it, only with it.

alter table membership
    add column local_sign_in boolean,  -- an admin whom no provider covers; null: no
    add column provisioned_by uuid;    -- identity_provider, even if deleted

-- True if a person can't sign in to the first of `projects` with `by_identity` (null: a password,
-- passkey or code), because a provider of these projects, the first with those above it, is enforced
-- for them. `who` null: a person without an account, at `address`. A provider is enforced in any
-- state, and for its domains even if they are no longer verified. With several of one project,
-- each suffices.
create function enforced_for(projects uuid[], who uuid, person_role text, address text, by_identity uuid)
returns boolean language sql stable set search_path from current as $$
select exists (
    select
    from identity_provider p
    cross join (
        select
            lower(coalesce(person_role, (select role from account where id = who))) || 's' as name,
            substring(coalesce(address, (select email from account where id = who)) from '[^@]*$')
                as domain
    ) person
    where p.project_id = any (projects) and p.enforced <> '{}' and person.name = any (p.enforced)
        and (
            person.domain = any (p.domains)
            or exists (
                select
                from identity i
                where i.account_id = who and i.provider_id = p.id
                    and lower(i.role) || 's' = person.name
            )
            or exists (
                select
                from membership m
                left join scim_user s on s.project_id = m.project_id and s.membership_id = m.id
                where m.account_id = who and m.project_id = any (projects)
                    and (m.provisioned_by = p.id or s.id is not null)
            )
        )
        and not exists (
            select
            from identity i
            join identity_provider by on by.id = i.provider_id
            where i.id = by_identity and by.project_id = p.project_id
                and person.name = any (by.enforced)
        )
        and not exists (
            select
            from membership m
            where m.account_id = who and m.project_id = p.project_id and m.admin
                and m.local_sign_in and m.locked_at is null
        )
)
$$;

-- Like enforced_for. Keeps the providers as they are until the commit, and waits for a change that
-- has begun, which ends the sessions that it finds. The second query sees that change.
create function enforced_hold(projects uuid[], who uuid, person_role text, address text, by_identity uuid)
returns boolean language plpgsql set search_path from current as $$
begin
    perform from identity_provider where project_id = any (projects) for key share;
    return found and enforced_for(projects, who, person_role, address, by_identity);
end
$$;

-- True if a provider of any project is enforced. The index holds only those.
create function enforced_any() returns boolean language sql stable set search_path from current as $$
select exists (select from identity_provider where enforced <> '{}')
$$;
