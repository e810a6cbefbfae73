-- Links that verify an email address, and the progress of reading earlier releases' verifications.

-- An emailed link to verify an address. An account has one of each kind; a newer one replaces it.
create table email_link (
    account_id    uuid not null references account on delete cascade,
    kind          text not null check (kind in ('verify', 'change')),
    id            uuid not null unique,      -- in the link, with the secret
    secret_hash   bytea not null,
    email         text not null check (length(email) <= 254), -- recipient
    project_id    uuid not null,             -- tenant where it was requested
    installation  boolean not null,          -- leads to the installation's own pages
    expires_at    bigint not null,
    primary key (account_id, kind)
);
create index email_link_expires on email_link (expires_at);

-- Links to set a password can lead to the installation's own pages, too.
alter table password_reset add column installation boolean not null default false;

-- How far the audit log has been read for passwords set with a link before this release, each of
-- which verified the account's address. Ends with the rows that exist now.
create table email_scan (
    only_row   boolean primary key default true check (only_row),
    sequence   bigint not null,             -- last audit row that was read
    last_id    bigint not null,             -- newest audit row to read
    done       boolean not null default false
);
insert into email_scan (sequence, last_id)
    select 0, coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit', 'id')::regclass), 0);
