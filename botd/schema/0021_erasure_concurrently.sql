-- Executions that a profile requested, for the erasure of its account.
drop index concurrently if exists execution_profile;
create index concurrently execution_profile on execution (project_id, profile, id) where profile is not null;
