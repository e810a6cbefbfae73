-- A provider {from} for a sign-in. Only domains that its project has verified count.
-- args: from
-- row: id uuid, project uuid, name text, preset text, issuer text, client_id text
-- row: secret_sealed bytea null, by_post bool, scopes text, required_acr text null
-- row: trusted_for_mfa bool, practitioners bool, patients bool, provision_practitioners bool
-- row: provision_patients bool, enforced_practitioners bool, enforced_patients bool
-- row: domains text, state text
{from}.id,
{from}.project_id as project,
{from}.name,
{from}.preset,
{from}.issuer,
{from}.client_id,
{from}.secret_sealed,
{from}.auth_method = 'client_secret_post' as by_post,
{from}.scopes,
{from}.required_acr,
{from}.trusted_for_mfa,
'practitioners' = any ({from}.roles) as practitioners,
'patients' = any ({from}.roles) as patients,
{from}.provisioning in ('practitioners', 'both') as provision_practitioners,
{from}.provisioning in ('patients', 'both') as provision_patients,
'practitioners' = any ({from}.enforced) as enforced_practitioners,
'patients' = any ({from}.enforced) as enforced_patients,
array_to_string(array(
    select v.domain
    from project_domain v
    where v.project_id = {from}.project_id and v.domain = any ({from}.domains)
        and v.verified_at is not null
    order by v.domain
), ',') as domains,
{from}.state
