-- What was erased of accounts that are gone: counts, which the statements that erase keep, so that none is lost or
-- counted twice. Identifiers only.
create table erasure (
    account_id  uuid not null,
    table_name  text not null,
    rows        bigint not null,
    bytes       bigint not null,            -- of complete files
    primary key (account_id, table_name)
);

-- Requests to erase that were carried out, by their keys.
create table erasure_step (
    account_id  uuid not null,
    key         uuid not null,
    done_at     bigint not null,            -- contract time
    primary key (account_id, key)
);

-- For whose erasure the bytes go: it is not over while such a row is there.
alter table object add column erased_for uuid;
