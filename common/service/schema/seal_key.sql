-- The keys that seal values of this schema. Each daemon with a seal_key has this table; the files named
-- NNNN_seal_key.sql in their schema folders are links to this one. See common/service/service_seal.c.

create table seal_key (
    id            text primary key,         -- derived from the key, tells nothing of it
    sequence      bigint generated always as identity, -- a newer key has a greater one
    created_at    bigint not null,          -- contract time, ms: when an instance first had it in its file
    writes_since  bigint,                   -- when one first sealed with it; null: it only reads yet
    retired_at    bigint,                   -- when it was allowed to leave the file
    key_sealed    bytea,                    -- then: itself, sealed; what it has hashed is still recognised
    busy_by       text,                     -- the instance that seals values anew with it,
    busy_until    bigint not null default 0 -- real time, ms
);
