-- Sign-ins that wait for a mailed code. There is a row for an address without an account, too, so
-- that nothing tells the two apart.

create table mail_code (
    id_hash       bytea primary key,        -- SHA-256 of the id that the client has, and only it
    code_hash     bytea not null,           -- SHA-256 of that id and the code: the row alone tells no code
    role          text not null check (role in ('Patient', 'Practitioner')),
    tenant_id     uuid not null,
    email         text not null,            -- as it was given
    account_id    uuid references account on delete cascade, -- null: no code was mailed
    challenge     text not null,            -- S256, base64url
    failures      int not null default 0,
    expires_at    bigint not null
);
create index mail_code_account on mail_code (account_id) where account_id is not null;
create index mail_code_expires on mail_code (expires_at);
