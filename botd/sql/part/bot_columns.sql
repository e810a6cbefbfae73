-- Columns of struct bot, from {from}.
-- args: from
'Bot' as "resourceType",
{from}.id,
{from}.identifier::text,
{from}.name,
{from}.kind,
{from}.url,
{from}.program,
{from}.timeout_ms as "timeoutMs",
{from}.warm,
{from}.secret_names::text as "secretNames",
{from}.updated_at as "lastUpdated"
