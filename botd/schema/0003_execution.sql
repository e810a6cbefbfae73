-- Executions, their duration and outcome, without input and output.

create table execution (
    project_id   uuid not null,
    id           uuid not null,             -- ordered by time
    bot_id       uuid not null,
    started_at   bigint not null,           -- contract time
    duration_ms  bigint not null,
    outcome      text not null check (outcome in ('success', 'failure', 'timeout', 'refused')),
    profile      text,                      -- who asked: "Patient/<id>"
    primary key (project_id, id),
    foreign key (project_id, bot_id) references bot on delete cascade
);
create index execution_bot on execution (project_id, bot_id, id);
create index execution_started on execution (started_at);
