-- Finds a token by its hash. No row: there is none, or it has expired.
-- class: read
-- in: hash bytea, now int8
-- rows: one
-- row: project uuid, id uuid, name text, address_rules text null, created_by uuid
-- row: last_used int8 null
select
    project_id as project,
    id,
    name,
    (
        select json_agg(json_build_object('ip', a, 'action', 'allow'))::text
        from unnest(addresses) as u (a)
    ) as address_rules,
    created_by,
    last_used_at as last_used
from scim_token
where hash = :hash and expires_at > :now
