-- Identity providers: OpenID Connect providers with which people of a project, and of the projects
-- below it, can sign in.

create table identity_provider (
    id               uuid primary key,
    project_id       uuid not null,
    name             text not null,
    preset           text not null check (preset in ('oidc', 'entra', 'google')),
    issuer           text not null,     -- as the provider's discovery states it, byte by byte
    client_id        text not null,
    secret_sealed    bytea,             -- null: none yet
    auth_method      text not null
        check (auth_method in ('client_secret_basic', 'client_secret_post')),
    scopes           text not null,     -- separated by spaces
    required_acr     text,
    trusted_for_mfa  boolean not null,
    roles            text[] not null check (roles <@ '{practitioners,patients}' and roles <> '{}'),
    domains          text[] not null,   -- count while the project has verified them
    provisioning     text not null
        check (provisioning in ('none', 'practitioners', 'patients', 'both')),
    enforced         text[] not null check (enforced <@ roles),
    state            text not null check (state in ('draft', 'active', 'disabled')),
    tested_at        bigint,            -- when a test sign-in last succeeded
    created_at       bigint not null,
    updated_at       bigint not null,
    check (state <> 'active' or secret_sealed is not null)
);
create unique index identity_provider_project on identity_provider (project_id, id);
create index identity_provider_active on identity_provider (project_id) where state = 'active';

-- Keeps a read-only project's providers unchanged (0043_project_hold_guards), enabled like that of
-- FHIR servers.
create trigger project_hold_identity_provider
    before insert or update or delete on identity_provider
    for each row execute function project_hold_guard('project_id');
