-- The columns of struct identity_provider, of {from}.
-- args: from
{from}.id,
{from}.name,
{from}.preset,
{from}.issuer,
{from}.client_id as "clientId",
{from}.secret_sealed is not null as "hasSecret",
{from}.auth_method as "authMethod",
{from}.scopes,
{from}.required_acr as "requiredAcr",
{from}.trusted_for_mfa as "trustedForMfa",
to_json({from}.roles)::text as roles,
to_json({from}.domains)::text as domains,
{from}.provisioning,
to_json({from}.enforced)::text as enforced,
{from}.state,
{from}.tested_at as "testedAt",
{from}.created_at as "createdAt",
{from}.updated_at as "lastUpdated",
-- include: row_etag(from = {from})
as etag
