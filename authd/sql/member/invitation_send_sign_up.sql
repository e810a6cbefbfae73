-- Adds a sign-up's link to an admin's pending invitation, with its email. No row: it is gone.
-- class: write
-- in: project uuid, id uuid, secret_hash bytea, expires_at int8
-- rows: one
with
sent as (
    update invitation
    set sign_up_hash = :secret_hash, sign_up_expires_at = :expires_at
    where project_id = :project and id = :id
    returning id
),
-- include: outbox as mail(from = sent),
-- include: audit(from = sent)
select from sent
