-- Email addresses verified with something that only the mailbox received.

-- organization_id is the root project of the organization for which the address is verified; the
-- nil UUID (RFC 9562, section 5.9) means all. Changing the address deletes the old one's rows.
create table email_verified (
    account_id       uuid not null references account on delete cascade,
    organization_id  uuid not null,
    verified_at      bigint not null,
    primary key (account_id, organization_id)
);
