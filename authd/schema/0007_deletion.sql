-- Accounts that are to be deleted. The date decides: from then on nobody knows the account, whether or not its row
-- has been deleted yet.

alter table account
    add column delete_at       bigint,      -- null: it stays
    add column delete_schedule uuid,        -- a newer schedule, or a sign-in, makes the jobs of this one void
    add column delete_wipe     boolean not null default false,
    add check ((delete_at is null) = (delete_schedule is null)),
    add check (delete_at is not null or not delete_wipe);

-- A deleted account takes its rows along, wherever they are.
create index session_owner on session (account_id);
create index login_owner on login (account_id);

alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
    check (kind in ('session', 'membership', 'account', 'policy', 'project', 'keys'));
