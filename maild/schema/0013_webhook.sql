-- URLs to which a project's events are posted.

create table webhook (
    project_id       uuid not null,
    id               uuid primary key,
    url              text not null,
    events           text[] not null,
    enabled          boolean not null,
    gone_at          bigint,                -- when its receiver answered 410, which disabled it; null: never
    secret_sealed    bytea not null,
    previous_sealed  bytea,                 -- previous secret, which signs too
    previous_until   bigint,                -- until this time
    created_at       bigint not null,       -- contract time, like all times here
    updated_at       bigint not null,
    check (url like 'https://%' and cardinality(events) > 0),
    check ((previous_sealed is null) = (previous_until is null))
);
create index webhook_project on webhook (project_id, id);
