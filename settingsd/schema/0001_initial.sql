-- Projects, their tenant codes, settings, access policies and client applications.
-- Times are contract time in ms since the epoch, passed as parameters, unless a comment says otherwise.
-- Keys of a tenant's tables begin with project_id, except tenant_code's, which finds the project.

-- A tenant. Each change of the row, its settings or its set of policies increments `version`. A write requires the
-- version that was read, so that no concurrent change is lost.
-- settings: name -> true, false or text; unset ones are absent. The names are those of setting_names.c, and
-- defaultPatientAccessPolicy.
create table project (
    id          uuid primary key,           -- time-ordered
    parent_id   uuid references project,
    name        text not null,
    suspended   boolean not null default false,
    version     bigint not null default 1,
    settings    jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
    created_at  bigint not null
) with (fillfactor = 80);
create index project_parent on project (parent_id) where parent_id is not null;

create table tenant_code (
    code        text primary key check (code ~ '^[a-z0-9-]{3,64}$'),
    project_id  uuid not null unique references project
);

-- Changes: one row for each setting of each version. No membership: the operator, or the project's creation.
create table setting_history (
    project_id     uuid not null references project,
    version        bigint not null,
    name           text not null,
    old_value      jsonb,
    new_value      jsonb,
    changed_at     bigint not null,
    membership_id  uuid,
    profile_id     uuid,
    primary key (project_id, version, name)
);

-- json, not jsonb, keeps the order of members.
create table access_policy (
    project_id      uuid not null references project,
    id              uuid not null,
    name            text not null,
    resource        json not null,
    ip_access_rule  json,
    created_at      bigint not null,
    updated_at      bigint not null,
    primary key (project_id, id)
);

create table client (
    project_id  uuid not null references project,
    id          uuid not null,
    name        text not null,
    created_at  bigint not null,
    primary key (project_id, id)
);

create table outbox (
    id          uuid primary key,
    method      text not null,
    body        bytea not null,
    created_at  bigint not null,            -- real time
    attempts    int not null default 0,
    due_at      bigint not null             -- real time
);
create index outbox_due on outbox (due_at);
