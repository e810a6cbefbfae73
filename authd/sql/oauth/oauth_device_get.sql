-- Returns who decided on a device, and whether it can now have its tokens. No row: the client has
-- no such device code.
-- class: read
-- in: project uuid, device_hash bytea, client_id text, now int8
-- rows: one
-- row: account uuid null, role role null, session uuid null, scope text, resource text null
-- row: patient uuid null, signed_in_at int8, approved bool
select
    d.account_id as account,
    a.role,
    d.session_id as session,
    d.scope,
    d.resource,
    d.patient_id as patient,
    coalesce(d.signed_in_at, 0) as signed_in_at,
    d.state = 'approved' and d.expires_at > :now as approved
from oauth_device d
left join
    -- include: account_of(row = d)
    on true
where d.project_id = :project and d.device_hash = :device_hash and d.client_id = :client_id
