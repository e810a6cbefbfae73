-- Of whom a launch is: the patients of a project by their profiles.
drop index concurrently if exists membership_profile;
create index concurrently membership_profile on membership (project_id, profile_id);
