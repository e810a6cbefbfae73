-- The columns of struct scim_token, of {from}.
-- args: from
{from}.id,
{from}.name,
to_json({from}.addresses)::text as addresses,
{from}.created_at as "createdAt",
{from}.expires_at as "expiresAt",
{from}.last_used_at as "lastUsedAt"
