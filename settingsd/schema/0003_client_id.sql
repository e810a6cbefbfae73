-- One-step sign-in identifies a project only by one of its client applications.
create unique index client_id on client (id);
