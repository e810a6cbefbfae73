-- A Merkle tree for each project over the sealed rows that the trails of all daemons have of it (RFC 6962), as tiles:
-- common/base/merkle.h. A tree only grows; rows of trails may be dropped, leaves are not.

-- Up to where each daemon's trail is in the trees.
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
    hashes      bytea not null,             -- 32 bytes each, 32 at most
    places      bytea not null,             -- of level 0: 9 bytes for each leaf, the daemon's number and the row's sequence
    top_at      bigint not null,            -- of level 0: the latest time of a row up to this tile, ms
    primary key (project_id, level, tile)
) with (fillfactor = 70);
alter table trail_tile alter column hashes set storage external;

-- In which tile of level 0 the rows of a daemon are: each tile has the first of them that it holds.
create table trail_place (
    project_id  uuid not null,
    daemon      smallint not null,
    sequence    bigint not null,
    tile        bigint not null,
    primary key (project_id, daemon, sequence)
);

-- What signs the heads of the trees (Ed25519).
create table trail_key (
    only_row       boolean primary key default true check (only_row),
    public_key     bytea not null,
    secret_sealed  bytea not null
);
