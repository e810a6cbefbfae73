-- Scheduled deletions of accounts. From the date on, the account counts as deleted, even if its row
-- still exists.

alter table account
    add column delete_at       bigint,      -- null: none
    add column delete_schedule uuid,        -- a newer schedule, or a sign-in, voids this one's jobs
    add column delete_wipe     boolean not null default false,
    add check ((delete_at is null) = (delete_schedule is null)),
    add check (delete_at is not null or not delete_wipe);

-- Deleting an account deletes all its rows.
create index session_owner on session (account_id);
create index login_owner on login (account_id);

alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
    check (kind in ('session', 'membership', 'account', 'policy', 'project', 'keys'));
