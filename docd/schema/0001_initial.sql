-- Documents and their bytes. Times are contract time in ms since the epoch, passed as parameters. Each table's key
-- begins with project_id. Only public tokens are looked up before the project is known. Lock order: documents by id,
-- then uploads, then objects.

-- Bytes in the store, or on their way: a row exists before the first byte and is deleted after the last, so an
-- interruption leaves nothing behind.
create table object (
    project_id  uuid not null,
    id          uuid not null,              -- name of the bytes in the store
    sweep_at    bigint,                     -- when bytes and row are removed; null: a document shows them
    primary key (project_id, id)
);
create index object_sweep on object (sweep_at) where sweep_at is not null;

create table document (
    project_id      uuid not null,
    id              uuid not null,
    author_type     text not null check (author_type in ('Patient', 'Practitioner')),
    author_id       uuid not null,
    author_display  text not null,          -- as it was when the document was created
    file_name       text not null,
    content_type    text not null,
    public_token    bytea,                  -- sealed, because it is shown again; null: private
    public_hash     bytea,                  -- hash of the token, for look-ups
    uploads         bigint not null,        -- forms issued
    updated_at      bigint not null,
    -- Null until the upload with the number `upload` is complete:
    upload          bigint,
    object_id       uuid,
    size            bigint,
    etag            text,                   -- hash of the bytes
    found_type      text,                   -- detected from the bytes
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

-- An issued form, with what the document becomes when its bytes arrive. Valid until it expires, so that a lost response
-- can be repeated, or until a later one is completed.
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
