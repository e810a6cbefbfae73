-- The columns of struct fhir_server, of {from}.
-- args: from
{from}.id,
{from}.name,
{from}.base,
to_json({from}.patient_scopes)::text as "patientScopes",
to_json({from}.practitioner_scopes)::text as "practitionerScopes",
{from}.created_at as "createdAt",
{from}.updated_at as "lastUpdated"
