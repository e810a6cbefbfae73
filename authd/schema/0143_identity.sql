-- People that sign in at a project's identity provider.

create table identity (
    id           uuid primary key,
    provider_id  uuid not null references identity_provider on delete cascade,
    project_id   uuid not null,      -- the provider's
    issuer       text not null,
    subject      text not null check (length(subject) <= 255),
    role         text not null check (role in ('Patient', 'Practitioner')),
    account_id   uuid references account on delete set null,  -- null: the account was deleted
    created_at   bigint not null,
    last_used_at bigint not null,
    unique (provider_id, issuer, subject, role)
);
create index identity_account on identity (account_id);
create index identity_project on identity (project_id);

-- A sign-in from its start to the provider's answer.
create table federated_login (
    id           uuid primary key,   -- also of the login that follows
    provider_id  uuid not null references identity_provider on delete cascade,
    project_id   uuid not null,      -- where the person signs in
    role         text not null check (role in ('Patient', 'Practitioner')),
    state_hash   bytea not null unique,
    nonce        text not null,
    verifier     text not null,      -- of PKCE, for the provider
    browser_hash bytea,              -- of the page's cookie; null: an application
    challenge    text,               -- of the application's session code; null: a page
    redirect_uri text,               -- the application's; null: a page
    test         boolean not null,   -- shows its result, and signs no one in
    next         text,               -- sealed authorization request of a page
    created_at   bigint not null,
    expires_at   bigint not null,
    used_at      bigint
);
create index federated_login_expires on federated_login (expires_at);
create index federated_login_provider on federated_login (provider_id);
create index federated_login_project on federated_login (project_id);

alter table login add column identity_id uuid references identity on delete cascade;
-- Of a federated sign-in; also of the grants that come from it.
alter table session add column identity_id uuid;
