-- What is written of a link to {email} for {account} and {project}, of {kind} "verify" (it verifies
-- the address that the account has) or "change" (it gives the account that address): account_id,
-- kind, id, secret_hash, email, project_id, installation, expires_at, in this order.
-- args: account, kind, email, project
-- in: id uuid null, secret_hash bytea null, installation bool, expires_at int8
{account}, {kind}, :id, :secret_hash, {email}, {project}, :installation, :expires_at
