-- Characters that a project sent to providers on a day (UTC, contract time).

create table translation_day (
    project_id  uuid not null,
    day         bigint not null,            -- days since the epoch
    characters  bigint not null
) with (fillfactor = 50);
create index translation_day_day on translation_day (day);
-- Created last: see translation_memory.
alter table translation_day add primary key (project_id, day);
