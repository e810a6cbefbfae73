-- The projects that an account created recently.
drop index concurrently if exists project_maker;
create index concurrently project_maker on project (created_by, created_at) where created_by is not null;
