-- Documents and their bytes.
-- Times are contract time in ms since the epoch, given as parameters.
-- Every table of a tenant leads its keys with project_id; a public token alone is looked up before the project is known.
-- Locks: documents in the order of their ids, then uploads, then objects.

-- Bytes that the store has, or is being given: a row is there before the first byte and goes after the last one, so
-- nothing that was interrupted is forgotten.
create table object (
    project_id  uuid not null,
    id          uuid not null,              -- names the bytes in the store
    sweep_at    bigint,                     -- when bytes and row are removed; null: a document shows them
    primary key (project_id, id)
);
create index object_sweep on object (sweep_at) where sweep_at is not null;

create table document (
    project_id      uuid not null,
    id              uuid not null,
    author_type     text not null check (author_type in ('Patient', 'Practitioner')),
    author_id       uuid not null,
    author_display  text not null,          -- as it was when the document was made
    file_name       text not null,
    content_type    text not null,
    public_token    bytea,                  -- sealed, because it is shown again; null: not public
    public_hash     bytea,                  -- of the token, to find it by
    uploads         bigint not null,        -- forms that were given out
    updated_at      bigint not null,
    -- Since the upload number `upload` is complete, else null:
    upload          bigint,
    object_id       uuid,
    size            bigint,
    etag            text,                   -- hash of the bytes
    found_type      text,                   -- what the bytes are, whatever content_type says
    primary key (project_id, id),
    foreign key (project_id, object_id) references object (project_id, id),
    check ((public_token is null) = (public_hash is null)),
    check (num_nulls(upload, object_id, size, etag, found_type) in (0, 5))
);
create index document_updated on document (project_id, updated_at desc, id);
create index document_author on document (project_id, author_id, updated_at desc, id);
create unique index document_public on document (public_hash) where public_hash is not null;
create index document_object on document (project_id, object_id) where object_id is not null;
create index document_empty on document (updated_at) where object_id is null;

-- A form that was given out: what becomes of the document when it comes back with bytes. It stays good until it
-- expires, so that a lost answer can be had again, or until a later one was completed.
create table upload (
    project_id    uuid not null,
    id            uuid not null,
    document_id   uuid not null,
    number        bigint not null,          -- of the document's forms
    file_name     text not null,
    content_type  text not null,
    expires_at    bigint not null,
    primary key (project_id, id),
    foreign key (project_id, document_id) references document (project_id, id) on delete cascade
);
create index upload_document on upload (project_id, document_id);
create index upload_expires on upload (expires_at);
