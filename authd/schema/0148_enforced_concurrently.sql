-- Only the enforced providers: few, if any.
drop index concurrently if exists identity_provider_enforced;
create index concurrently identity_provider_enforced on identity_provider (project_id)
where enforced <> '{}';
