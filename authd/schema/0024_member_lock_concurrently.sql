-- The accounts of a project are searched by the beginning of an address or a name, those of patients
-- within it, those of practitioners, which have no project_id, among all; see authd/sql/project_account.
drop index concurrently if exists account_search_email;
create index concurrently account_search_email on account (project_id, (email collate "C"), id);
drop index concurrently if exists account_search_name;
create index concurrently account_search_name on account (project_id, (lower(name || ' ' || surname) collate "C"), id);
drop index concurrently if exists account_search_surname;
create index concurrently account_search_surname on account (project_id, (lower(surname) collate "C"), id);
-- Accounts that are locked or scheduled to be deleted, and members that are locked. By coalesce(), so
-- that a statement that finds an account by its id and asks for either is not planned on this index.
drop index concurrently if exists account_not_active;
create index concurrently account_not_active on account (project_id, id) where coalesce(locked_at, delete_at) is not null;
drop index concurrently if exists membership_locked;
create index concurrently membership_locked on membership (project_id, account_id) where locked_at is not null;
