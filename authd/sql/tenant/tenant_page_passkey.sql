-- A page of the passkeys of the accounts of a project, for another installation: its own, and those
-- of the installation's pages. Behind the passkey `after` of the membership `place`.
-- class: read
-- in: project uuid, place uuid, after text, most int8
-- rows: many
-- row: struct tenant_json
select row_to_json(k)::text as value
from membership m
cross join lateral (
    select p.*
    from passkey p
    where p.account_id = m.account_id and coalesce(p.project_id, m.project_id) = m.project_id
) k
where m.project_id = :project and m.id >= :place
    and (m.id, k.id) > (:place, (:after::json ->> 'id')::uuid)
order by m.id, k.id
limit :most
