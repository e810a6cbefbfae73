-- The columns of struct access_policy, of {from}.
-- args: from
'AccessPolicy' as "resourceType",
{from}.id,
{from}.name,
{from}.resource::text,
{from}.ip_access_rule::text as "ipAccessRule"
