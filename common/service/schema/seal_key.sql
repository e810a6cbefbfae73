-- The keys that seal this schema's values. NNNN_seal_key.sql in each schema folder of a daemon with a seal_key links to
-- this file. See common/service/service_seal.c.

create table seal_key (
    id            text primary key,         -- derived from the key, reveals nothing
    sequence      bigint generated always as identity, -- greater for newer keys
    created_at    bigint not null,          -- contract time, ms, when an instance first had it in its file
    writes_since  bigint,                   -- first use to seal; null: only reads
    retired_at    bigint,                   -- when the file no longer needed it
    key_sealed    bytea,                    -- then: the sealed key, which still recognizes its hashes
    busy_by       text,                     -- the instance that reseals values with it,
    busy_until    bigint not null default 0 -- real time, ms
);
