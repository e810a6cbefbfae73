-- The columns of struct project_domain, of {from}, at the time {now}.
-- args: from, now
{from}.domain,
case
    when {from}.verified_at is not null and {from}.missing_since is null then 'verified'
    when {from}.verified_at is not null then 'missing'
    when {from}.token is null then 'lost'
    when {from}.token_expires_at <= {now} then 'expired'
    else 'pending'
end as state,
'_atrium.' || {from}.domain as "recordName",
'atrium-domain-verification=' || {from}.token as "recordValue",
{from}.token,
{from}.created_at as "createdAt",
case when {from}.verified_at is null then {from}.token_expires_at end as "expiresAt",
{from}.verified_at as "verifiedAt",
{from}.missing_since as "missingSince",
{from}.by_operator as "byOperator"
