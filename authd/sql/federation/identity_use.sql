-- Finds the account of an identity, and records the use. No row: never seen here. Account null: it
-- was deleted.
-- class: write
-- in: provider uuid, issuer text, subject text, role role, now int8
-- rows: one
-- row: id uuid, account uuid null
update identity
set last_used_at = :now
where provider_id = :provider and issuer = :issuer and subject = :subject and role = :role
returning id, account_id as account
