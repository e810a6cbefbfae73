-- API keys. They belong to the project, so their creator can leave.

create table api_key (
    project_id    uuid not null,
    id            uuid not null,
    name          text not null,
    hash          bytea not null unique,    -- SHA-256 of the key, which has 256 random bits
    policy_id     uuid not null,
    addresses     text[] not null,          -- networks that can use it; empty: any
    created_by    uuid not null,            -- membership
    profile_id    uuid not null,            -- that membership's
    created_at    bigint not null,
    expires_at    bigint not null,
    last_used_at  bigint,                   -- up to an hour too early; null: never
    revoked_at    bigint,                   -- kept for a day, because forms begun with it may still upload
    primary key (project_id, id)
);
create index api_key_expires on api_key (expires_at);
create index api_key_revoked on api_key (revoked_at) where revoked_at is not null;
