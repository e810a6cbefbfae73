-- Keys that seal an account's network addresses in all daemons' audit rows (X25519,
-- common/service/audit_address.h). Deleted with the account, so that the remaining rows' addresses
-- can't be opened. An older account gets its row on first use.
create table account_address_key (
    account_id     uuid primary key references account on delete cascade,
    public_key     text not null,
    secret_sealed  bytea not null
);
