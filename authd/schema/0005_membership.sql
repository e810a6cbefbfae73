-- Who administers a project is asked before one of them goes.
create index membership_admin on membership (project_id, id) where admin;
