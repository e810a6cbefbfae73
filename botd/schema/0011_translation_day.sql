-- Characters that a project had translated on a day (UTC, contract time), of what providers were asked.

create table translation_day (
    project_id  uuid not null,
    day         bigint not null,            -- since the epoch
    characters  bigint not null
) with (fillfactor = 50);
create index translation_day_day on translation_day (day);
-- Made last: see translation_memory.
alter table translation_day add primary key (project_id, day);
