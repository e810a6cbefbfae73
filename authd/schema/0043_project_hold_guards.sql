-- Keeps rows of a read-only project unchanged (NNNN_project_hold.sql). The triggers are disabled
-- while there is none.

create trigger project_hold_account before insert or update or delete on account
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_membership before insert or update or delete on membership
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_last_sign_in before insert or update or delete on last_sign_in
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_invitation before insert or update or delete on invitation
    for each row execute function project_hold_guard('project_id');

-- project_hold_guard_account('account_id'): the same for an account's rows, by the account's
-- projects. A practitioner of a read-only project is read-only in other projects too.
do $make$
begin
    execute format($text$
        create function project_hold_guard_account() returns trigger language plpgsql as $guard$
        declare
            xact constant xid8 := pg_current_xact_id();
        begin
            if exists (select from %1$I.project_hold) and exists (
                select
                from %1$I.project_hold h
                join %1$I.membership m on m.project_id = h.project_id
                where m.account_id in
                    ((to_jsonb(new) ->> tg_argv[0])::uuid, (to_jsonb(old) ->> tg_argv[0])::uuid)
            ) then
                raise exception 'the project is read-only' using errcode = 'RO001';
            end if;
            if tg_op = 'DELETE' then
                return old;
            end if;
            return new;
        end
        $guard$
    $text$, current_schema());
end
$make$;

create trigger project_hold_account_member before insert or update or delete on account
    for each row execute function project_hold_guard_account('id');
create trigger project_hold_credential before insert or update or delete on credential
    for each row execute function project_hold_guard_account('account_id');
create trigger project_hold_email_verified before insert or update or delete on email_verified
    for each row execute function project_hold_guard_account('account_id');
create trigger project_hold_mfa_factor before insert or update or delete on mfa_factor
    for each row execute function project_hold_guard_account('account_id');
create trigger project_hold_passkey before insert or update or delete on passkey
    for each row execute function project_hold_guard_account('account_id');
create trigger project_hold_mfa_recovery before insert or update or delete on mfa_recovery
    for each row execute function project_hold_guard_account('account_id');

-- No project was read-only before this script, which is the first to allow it.
alter table account disable trigger project_hold_account;
alter table membership disable trigger project_hold_membership;
alter table last_sign_in disable trigger project_hold_last_sign_in;
alter table invitation disable trigger project_hold_invitation;
alter table account disable trigger project_hold_account_member;
alter table credential disable trigger project_hold_credential;
alter table email_verified disable trigger project_hold_email_verified;
alter table mfa_factor disable trigger project_hold_mfa_factor;
alter table passkey disable trigger project_hold_passkey;
alter table mfa_recovery disable trigger project_hold_mfa_recovery;
