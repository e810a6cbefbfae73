-- Sign-ins that wait for an emailed code. An address without an account also has a row, so that
-- nothing reveals the difference.

create table mail_code (
    id_hash       bytea primary key,        -- SHA-256 of an id that only the client has
    code_hash     bytea not null,           -- SHA-256 of id and code: the row alone reveals no code
    role          text not null check (role in ('Patient', 'Practitioner')),
    tenant_id     uuid not null,
    email         text not null,            -- as entered
    account_id    uuid references account on delete cascade, -- null: no code was sent
    challenge     text not null,            -- S256, base64url
    failures      int not null default 0,
    expires_at    bigint not null
);
create index mail_code_account on mail_code (account_id) where account_id is not null;
create index mail_code_expires on mail_code (expires_at);
