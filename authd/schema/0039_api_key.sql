-- Keys by which machines use a project. They are the project's: whoever made one may leave.

create table api_key (
    project_id    uuid not null,
    id            uuid not null,
    name          text not null,
    hash          bytea not null unique,    -- SHA-256 of the key, which has 256 random bits
    policy_id     uuid not null,
    addresses     text[] not null,          -- networks that it is used from; empty: any
    created_by    uuid not null,            -- membership
    profile_id    uuid not null,            -- of that membership
    created_at    bigint not null,
    expires_at    bigint not null,
    last_used_at  bigint,                   -- at most an hour too early; null: never used
    revoked_at    bigint,                   -- stays for a day, for what a form of it may still bring
    primary key (project_id, id)
);
create index api_key_expires on api_key (expires_at);
create index api_key_revoked on api_key (revoked_at) where revoked_at is not null;
