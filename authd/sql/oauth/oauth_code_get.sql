-- Returns an authorization code with its grant, if any. No row: no such code.
-- class: read
-- in: project uuid, code_hash bytea, now int8
-- rows: one
-- row: client_id text, account uuid, role role, parent uuid, redirect_uri text, challenge text null
-- row: scope text, resource text null, nonce text null, signed_in_at int8, used bool, over bool
-- row: session uuid null, patient uuid null, jkt text null, id_claims text null
-- row: id_acr text null
select
    c.client_id,
    c.account_id as account,
    a.role,
    c.parent_id as parent,
    c.redirect_uri,
    c.challenge,
    c.scope,
    c.resource,
    c.nonce,
    c.signed_in_at,
    c.used_at is not null as used,
    c.expires_at <= :now as over,
    c.session_id as session,
    c.patient_id as patient,
    c.jkt,
    c.id_claims,
    c.id_acr
from (select * from oauth_code where project_id = :project and code_hash = :code_hash limit 1) c
cross join
    -- include: account_of(row = c)
