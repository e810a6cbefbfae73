-- One-step sign-in names a project by one of its client applications alone.
create unique index client_id on client (id);
