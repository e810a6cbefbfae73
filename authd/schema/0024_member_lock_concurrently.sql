-- A project's accounts are searched by the beginning of an address or name: patients in the
-- project, and practitioners, who have no project_id, among all; see authd/sql/project_account.
drop index concurrently if exists account_search_email;
create index concurrently account_search_email on account (project_id, (email collate "C"), id);
drop index concurrently if exists account_search_name;
create index concurrently account_search_name on account (project_id, (lower(name || ' ' || surname) collate "C"), id);
drop index concurrently if exists account_search_surname;
create index concurrently account_search_surname on account (project_id, (lower(surname) collate "C"), id);
-- Locked accounts, those scheduled for deletion, and locked members. coalesce() keeps this index
-- out of plans of statements that find an account by id and also check either.
drop index concurrently if exists account_not_active;
create index concurrently account_not_active on account (project_id, id) where coalesce(locked_at, delete_at) is not null;
drop index concurrently if exists membership_locked;
create index concurrently membership_locked on membership (project_id, account_id) where locked_at is not null;
