-- What texts of a project became, so that the same text need not be translated again.
-- Locks: remembered texts in the order of their keys (or those alone that nobody holds), then what they come to.

create table translation_memory (
    project_id  uuid not null,
    key         bytea not null,             -- keyed hash of languages, provider and text
    value       bytea not null,             -- the translation, sealed
    used_at     bigint not null             -- contract time; at most an hour behind
);
-- What is sealed cannot be compressed.
alter table translation_memory alter column value set storage external;
create index translation_memory_oldest on translation_memory (project_id, used_at);
create index translation_memory_used on translation_memory (used_at);
-- Made last: of indexes that cost the same, as all of an empty table do, the latest is taken.
alter table translation_memory add primary key (project_id, key);

-- What a project's remembered texts come to.
create table translation_memory_size (
    project_id  uuid primary key,
    entries     bigint not null,
    bytes       bigint not null             -- of the values
) with (fillfactor = 50);
