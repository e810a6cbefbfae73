-- Approves or denies a waiting device, once. No row: already decided, or expired.
-- class: write
-- in: project uuid, user_hash bytea, approved bool, account uuid, session uuid, scope text
-- in: patient uuid null, signed_in_at int8, now int8
-- rows: one
-- row: client_id text
with
decided as (
    update oauth_device
    set state = case when :approved then 'approved' else 'denied' end, account_id = :account,
        session_id = :session, scope = :scope, patient_id = :patient, signed_in_at = :signed_in_at
    where project_id = :project and user_hash = :user_hash and state = 'waiting'
        and expires_at > :now
    returning client_id
),
-- include: audit(from = decided)
select client_id from decided
