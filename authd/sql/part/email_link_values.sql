-- The values of a link to {email} for {account} and {project}, of {kind} "verify" (the account's
-- address) or "change" (to that address), in this order: account_id, kind, id, secret_hash, email,
-- project_id, installation, expires_at.
-- args: account, kind, email, project
-- in: id uuid null, secret_hash bytea null, installation bool, expires_at int8
{account}, {kind}, :id, :secret_hash, {email}, {project}, :installation, :expires_at
