-- Rows that name a person, for an account's erasure.
drop index concurrently if exists setting_history_named;
create index concurrently setting_history_named on setting_history (project_id, profile_id, version, name)
    where profile_display is not null;
