-- Columns of struct account_export, from export {from}.
-- args: from
{from}.id,
{from}.account_id as account,
{from}.state,
{from}.created_at as "createdAt",
coalesce({from}.size, -1) as size,
coalesce({from}.expires_at, 0) as "expiresAt"
