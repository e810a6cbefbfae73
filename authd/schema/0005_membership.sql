-- For the check that a project keeps an admin.
create index membership_admin on membership (project_id, id) where admin;
