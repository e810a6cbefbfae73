-- Accounts' former addresses. For a while, a link to the former address can undo the change, and no
-- other account of that kind can get the address.

create table email_undo (
    id             uuid primary key,         -- in the link, with the secret
    account_id     uuid not null references account on delete cascade,
    role           text not null,            -- the account's role, and its project (patients)
    home_id        uuid,
    email          text not null check (length(email) <= 254), -- former address
    secret_hash    bytea not null,
    project_id     uuid not null,            -- tenant where it was changed
    installation   boolean not null,         -- leads to the installation's own pages
    organizations  uuid[] not null,          -- for which the address was verified, as in email_verified
    changed_at     bigint not null,
    expires_at     bigint not null
);
create index email_undo_email on email_undo (email);
create index email_undo_account on email_undo (account_id, changed_at);
create index email_undo_expires on email_undo (expires_at);

-- The triggers run after the unique index has accepted the row. So if a change and a registration
-- are concurrent, the later one sees the other.
create function email_reserved() returns trigger
language plpgsql set search_path from current as $$
begin
    if exists (select from email_undo u where u.email = new.email and u.role = new.role
               and u.home_id is not distinct from new.project_id and u.account_id <> new.id) then
        raise exception 'the address is reserved' using errcode = 'unique_violation';
    end if;
    return null;
end
$$;
create trigger email_reserved_insert after insert on account
    for each row execute function email_reserved();
create trigger email_reserved_update after update of email on account
    for each row when (new.email <> old.email) execute function email_reserved();
