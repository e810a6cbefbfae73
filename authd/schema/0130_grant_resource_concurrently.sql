-- Grants at a FHIR server; most grants have no resource.
drop index concurrently if exists oauth_grant_resource;
create index concurrently oauth_grant_resource on oauth_grant (resource, session_id) where resource is not null;
