-- The latest 50 requests of a project's directory that changed something or were refused, without
-- what they say of people.
create table scim_request (
    project_id   uuid not null,
    id           uuid not null,      -- in the order of time
    requested_at bigint not null,
    method       text not null,
    resource     text not null,      -- "Users"
    resource_id  uuid,
    status       int,                -- of the response; null: it succeeded
    detail       text,               -- why it was refused
    primary key (project_id, id)
);
