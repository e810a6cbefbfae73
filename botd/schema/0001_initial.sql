-- Projects' bots. Times are contract time in ms since the epoch, passed as parameters.

create table bot (
    project_id      uuid not null,
    id              uuid not null,
    name            text not null,
    kind            text not null check (kind in ('http', 'program')),
    url             text,
    program         text,                   -- a file in the configured directory
    timeout_ms      bigint not null,
    warm            boolean not null default false,
    identifier      json not null,          -- as given; searches use bot_identifier
    secret_names    json not null,
    secrets_sealed  bytea not null,         -- a JSON object of texts
    created_at      bigint not null,
    updated_at      bigint not null,
    primary key (project_id, id),
    check ((kind = 'http') = (url is not null) and (kind = 'program') = (program is not null))
);

-- Not unique, because FHIR identifiers are not: a request for one that two bots have fails with that reason.
create table bot_identifier (
    project_id  uuid not null,
    bot_id      uuid not null,
    system      text not null default '',
    value       text not null,
    foreign key (project_id, bot_id) references bot on delete cascade
);
create index bot_identifier_value on bot_identifier (project_id, value, system);
create index bot_identifier_system on bot_identifier (project_id, system);
create index bot_identifier_bot on bot_identifier (project_id, bot_id);
