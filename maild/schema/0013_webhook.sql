-- Where a project is told of what happened in it.

create table webhook (
    project_id       uuid not null,
    id               uuid primary key,
    url              text not null,
    events           text[] not null,
    enabled          boolean not null,
    gone_at          bigint,                -- its receiver answered 410 then, which switched it off; null: it did not
    secret_sealed    bytea not null,
    previous_sealed  bytea,                 -- the secret before, which signs too
    previous_until   bigint,                -- until then
    created_at       bigint not null,       -- contract time, as all times here
    updated_at       bigint not null,
    check (url like 'https://%' and cardinality(events) > 0),
    check ((previous_sealed is null) = (previous_until is null))
);
create index webhook_project on webhook (project_id, id);
