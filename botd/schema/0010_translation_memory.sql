-- Stored translations of projects' texts. Lock order: translations by key (or only unlocked ones), then sizes.

create table translation_memory (
    project_id  uuid not null,
    key         bytea not null,             -- keyed hash of languages, provider and text
    value       bytea not null,             -- the translation, sealed
    used_at     bigint not null             -- contract time; up to an hour old
);
-- Sealed values cannot be compressed.
alter table translation_memory alter column value set storage external;
create index translation_memory_oldest on translation_memory (project_id, used_at);
create index translation_memory_used on translation_memory (used_at);
-- Created last: among indexes with equal costs, as in an empty table, the planner chooses the newest.
alter table translation_memory add primary key (project_id, key);

-- Total entries and bytes of a project's stored translations.
create table translation_memory_size (
    project_id  uuid primary key,
    entries     bigint not null,
    bytes       bigint not null             -- bytes of the values
) with (fillfactor = 50);
