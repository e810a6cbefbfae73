-- Links that prove an e-mail address, and where the proofs of older releases are read from.

-- A link that was mailed to prove an address. One of each kind for an account: a newer one takes the place of the older.
create table email_link (
    account_id    uuid not null references account on delete cascade,
    kind          text not null check (kind in ('verify', 'change')),
    id            uuid not null unique,      -- in the link, with the secret
    secret_hash   bytea not null,
    email         text not null check (length(email) <= 254), -- that it was mailed to
    project_id    uuid not null,             -- the tenant that it was asked for
    installation  boolean not null,          -- it leads to the installation's own pages, not to the tenant's
    expires_at    bigint not null,
    primary key (account_id, kind)
);
create index email_link_expires on email_link (expires_at);

-- The same of the link of a reset.
alter table password_reset add column installation boolean not null default false;

-- How far the audit trail was read for passwords that were set by a link before this release: each of them proved the
-- account's address. It ends with the rows that there are now.
create table email_scan (
    only_row   boolean primary key default true check (only_row),
    sequence   bigint not null,             -- of the audit row that was read last
    last_id    bigint not null,             -- of the newest audit row that is to be read
    done       boolean not null default false
);
insert into email_scan (sequence, last_id)
    select 0, coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit', 'id')::regclass), 0);
