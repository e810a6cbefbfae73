-- Returns what an API key is allowed to do. No row: it was revoked or has expired.
-- class: read
-- in: project uuid, id uuid, now int8
-- rows: one
-- row: name text, policy uuid, address_rules text null, expires int8, last_used int8 null
select
    name,
    policy_id as policy,
    (
        select json_agg(json_build_object('ip', a, 'action', 'allow'))::text
        from unnest(addresses) as u (a)
    ) as address_rules,
    expires_at as expires,
    last_used_at as last_used
from api_key
where project_id = :project and id = :id and revoked_at is null and expires_at > :now
