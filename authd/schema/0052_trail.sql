-- A Merkle tree per project over the sealed audit rows of all daemons (RFC 6962), as tiles:
-- common/base/merkle.h. Trees only grow: audit rows can be dropped, leaves can't.

-- Positions up to which daemons' logs are in the trees.
create table trail_source (
    daemon    text primary key,
    sequence  bigint not null
);

create table trail_tree (
    project_id  uuid primary key,
    size        bigint not null             -- leaves
) with (fillfactor = 70);

create table trail_tile (
    project_id  uuid not null,
    level       smallint not null,
    tile        bigint not null,
    hashes      bytea not null,             -- at most 32, of 32 bytes
    places      bytea not null,             -- level 0: 9 bytes per leaf, daemon number and row sequence
    top_at      bigint not null,            -- level 0: latest time of a row up to this tile, ms
    primary key (project_id, level, tile)
) with (fillfactor = 70);
alter table trail_tile alter column hashes set storage external;

-- The tiles of level 0 that contain a daemon's rows: each with its first one.
create table trail_place (
    project_id  uuid not null,
    daemon      smallint not null,
    sequence    bigint not null,
    tile        bigint not null,
    primary key (project_id, daemon, sequence)
);

-- The key that signs checkpoints (Ed25519).
create table trail_key (
    only_row       boolean primary key default true check (only_row),
    public_key     bytea not null,
    secret_sealed  bytea not null
);
