-- Sessions of the installation's own pages: of an account and of no project. They have no refresh
-- token and open no route of the API. One that ends is deleted.
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
    proven_at       bigint not null,        -- when its owner last proved who they are
    idle_until      bigint not null,
    absolute_until  bigint not null,
    code_hash       bytea,                  -- it waits for the code that was mailed; null: it is open
    code_failures   int not null default 0  -- tries of that code; after the fifth it opens no more
);
create index account_session_account on account_session (account_id);
create index account_session_absolute on account_session (absolute_until);
