-- A membership whose end is scheduled: by a session of a tenant that does not own the account. A
-- sign-in before that takes it back.
alter table membership add column end_at bigint;
alter table membership add column end_schedule uuid;
alter table membership add column end_wipe boolean not null default false;
