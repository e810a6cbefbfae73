-- Sessions of the installation's own pages: an account's, without a project. They have no refresh
-- token and open no API route. They are deleted when they end.
create table account_session (
    id              uuid primary key,
    account_id      uuid not null references account on delete cascade,
    cookie_hash     bytea not null unique,
    auth_method     text not null,
    second_factor   boolean not null,
    remote_address  text not null,
    browser         text,
    os              text,
    created_at      bigint not null,
    last_updated    bigint not null,
    proven_at       bigint not null,        -- owner's last proof
    idle_until      bigint not null,
    absolute_until  bigint not null,
    code_hash       bytea,                  -- waits for the emailed code; null: open
    code_failures   int not null default 0  -- tries of that code; five at most
);
create index account_session_account on account_session (account_id);
create index account_session_absolute on account_session (absolute_until);
