-- Columns of {from} for struct access_policy.
-- args: from
'AccessPolicy' as "resourceType",
{from}.id,
{from}.name,
{from}.resource::text,
{from}.ip_access_rule::text as "ipAccessRule"
