-- Counts of what was erased for deleted accounts. The erasing statements add to them, so nothing is lost or counted
-- twice. Contains only identifiers.
create table erasure (
    account_id  uuid not null,
    table_name  text not null,
    rows        bigint not null,
    bytes       bigint not null,            -- bytes of complete files
    primary key (account_id, table_name)
);

-- Completed requests to erase, by key.
create table erasure_step (
    account_id  uuid not null,
    key         uuid not null,
    done_at     bigint not null,            -- contract time
    primary key (account_id, key)
);

-- The account whose erasure includes these bytes. The erasure is incomplete while such a row exists.
alter table object add column erased_for uuid;
