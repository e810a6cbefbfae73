-- The columns of struct api_key, of {from}, with its creator's name as long as the creator is a
-- member.
-- args: from
{from}.id,
{from}.name,
'AccessPolicy/' || {from}.policy_id as "accessPolicy",
to_json({from}.addresses)::text as addresses,
{from}.created_at as "createdAt",
{from}.expires_at as "expiresAt",
{from}.last_used_at as "lastUsedAt",
'Practitioner/' || {from}.profile_id as "createdBy",
(
    select a.name || ' ' || a.surname
    from membership m
    join account a on a.id = m.account_id
    where m.project_id = {from}.project_id and m.id = {from}.created_by
) as "createdByName"
