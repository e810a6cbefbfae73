-- What seals the network addresses of an account in rows of the audit trails of all daemons (X25519,
-- common/service/audit_address.h). Deleted with the account, by whatever deletes it: the rows stay, and their addresses
-- cannot be opened any more. An account of an older build gets its row when it is used.
create table account_address_key (
    account_id     uuid primary key references account on delete cascade,
    public_key     text not null,
    secret_sealed  bytea not null
);
