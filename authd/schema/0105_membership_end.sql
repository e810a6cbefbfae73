-- The scheduled end of a membership, by a session of a tenant that does not own the account. A
-- sign-in cancels it.
alter table membership add column end_at bigint;
alter table membership add column end_schedule uuid;
alter table membership add column end_wipe boolean not null default false;
