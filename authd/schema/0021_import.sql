-- Committed batches of imports, so that an interrupted import continues with the same result.

-- A batch is identified by its import (a hash of file and options) and its first line. It is
-- deleted when the import is complete, or was interrupted for some days.
create table import_batch (
    import_id   bytea not null,
    first_line  bigint not null,
    created     bigint not null default 0,  -- accounts
    expires_at  bigint not null,
    primary key (import_id, first_line)
);
create index import_batch_expires on import_batch (expires_at);

-- Rejected lines with their reasons, without their contents.
create table import_refusal (
    import_id   bytea not null,
    first_line  bigint not null,
    line        bigint not null,
    existing    boolean not null,           -- the address has an account
    why         text not null,
    primary key (import_id, first_line, line),
    foreign key (import_id, first_line) references import_batch on delete cascade
);
