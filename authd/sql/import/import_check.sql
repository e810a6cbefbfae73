-- Returns the lines of an import (arrays as in import_create, with `passkeys`) that cannot become
-- accounts: the address has an account or is reserved, or the passkey belongs to another account or
-- an earlier line. A line's first row counts.
-- class: read
-- in: project uuid, lines int8[], roles text[], emails text[], passkeys text
-- rows: many
-- row: line int8, existing bool
with
given as materialized (
    select r.line, r.role, r.email, case when r.role = 'Patient' then :project::uuid end as home
    from unnest(:lines, :roles, :emails) r (line, role, email)
),
existing as (
    select g.line, true as existing
    from given g
    where
        exists (
            select
            from account a
            where a.role = 'Patient' and g.role = 'Patient' and a.project_id = g.home
                and a.email = g.email
        )
        or exists (
            select
            from account a
            where a.role = 'Practitioner' and g.role = 'Practitioner' and a.email = g.email
        )
        or exists (
            select
            from email_undo u
            where u.email = g.email and u.role = g.role and u.home_id is not distinct from g.home
        )
),
shown as (
    select
        p.line,
        p.rp_id,
        decode(p.credential, 'hex') as credential_id,
        row_number() over (partition by p.rp_id, p.credential order by p.line) as nth
    from json_to_recordset(:passkeys::json) p (line bigint, rp_id text, credential text)
)
select line, existing from existing
union all
select s.line, false
from shown s
where s.nth > 1
    or exists (
        select
        from passkey k
        where k.rp_id = s.rp_id and k.credential_id = s.credential_id
    )
order by line, existing desc
