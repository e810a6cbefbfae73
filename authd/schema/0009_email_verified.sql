-- E-mail addresses that were proven by something that only their mailbox got.

-- organization_id is the root project for whose organisation the proof counts; the nil UUID (RFC 9562, section 5.9)
-- stands for all. A change of the address deletes the rows of the old one.
create table email_verified (
    account_id       uuid not null references account on delete cascade,
    organization_id  uuid not null,
    verified_at      bigint not null,
    primary key (account_id, organization_id)
);
