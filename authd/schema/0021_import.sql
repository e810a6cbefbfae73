-- Imports of accounts: the batches that are committed, so that an import that was interrupted goes on with the same result.

-- A batch is known by the import (a hash of the file and of what was asked) and its first line. It is deleted when the
-- import is complete, or has not gone on for some days.
create table import_batch (
    import_id   bytea not null,
    first_line  bigint not null,
    created     bigint not null default 0,  -- accounts
    expires_at  bigint not null,
    primary key (import_id, first_line)
);
create index import_batch_expires on import_batch (expires_at);

-- Its lines that made no account, and why. Nothing of the lines themselves.
create table import_refusal (
    import_id   bytea not null,
    first_line  bigint not null,
    line        bigint not null,
    existing    boolean not null,           -- there is an account with the address
    why         text not null,
    primary key (import_id, first_line, line),
    foreign key (import_id, first_line) references import_batch on delete cascade
);
