-- A project's patients by profile, for launches.
drop index concurrently if exists membership_profile;
create index concurrently membership_profile on membership (project_id, profile_id);
