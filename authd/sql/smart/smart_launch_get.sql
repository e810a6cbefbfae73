-- Returns the patient of a launch for this person, client and server. No row: no such launch, used,
-- or expired.
-- class: read
-- in: project uuid, hash bytea, account uuid, client_id text, server uuid, now int8
-- rows: one
-- row: patient uuid
select l.patient_id as patient
from (select * from smart_launch where project_id = :project and hash = :hash limit 1) l
where l.account_id = :account and l.client_id = :client_id and l.server_id = :server
    and l.used_at is null and l.expires_at > :now
