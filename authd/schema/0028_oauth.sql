-- Data of the issuers below /t/. A grant is a session with an additional row here.

-- Pushed requests (RFC 9126). Answering one spends it; reading it doesn't.
create table oauth_pushed (
    project_id  uuid not null,
    hash        bytea not null,             -- hash of the request_uri's secret
    client_id   text not null,
    request     text not null,              -- JSON
    expires_at  bigint not null,            -- the browser must come before this time
    keep_until  bigint not null,            -- and must have its answer before this one
    used_at     bigint,
    primary key (project_id, hash)
);
create index oauth_pushed_keep on oauth_pushed (keep_until);

-- Authorization codes, as hashes. Kept after their expiry, so that a second use ends the session.
create table oauth_code (
    project_id     uuid not null,
    code_hash      bytea not null,
    client_id      text not null,
    account_id     uuid not null references account on delete cascade,
    parent_id      uuid not null,           -- the browser's session
    redirect_uri   text not null,
    challenge      text,                    -- S256, base64url; null: the client needs none
    scope          text not null,
    resource       text,
    nonce          text,
    signed_in_at   bigint not null,
    created_at     bigint not null,
    expires_at     bigint not null,
    keep_until     bigint not null,
    used_at        bigint,
    session_id     uuid,                    -- from this code; null: none
    primary key (project_id, code_hash)
);
create index oauth_code_keep on oauth_code (keep_until);
create index oauth_code_account on oauth_code (account_id);

create table oauth_grant (
    project_id    uuid not null,
    session_id    uuid not null,
    client_id     text not null,
    client_name   text not null,
    scope         text not null,
    resource      text,                     -- null: the issuer's own
    nonce         text,
    parent_id     uuid,                     -- session with which it ends; null: offline_access
    signed_in_at  bigint not null,
    jkt           text,                     -- thumbprint of the key to which its tokens are bound
    created_at    bigint not null,
    primary key (project_id, session_id),
    foreign key (project_id, session_id) references session on delete cascade
);
create index oauth_grant_parent on oauth_grant (project_id, parent_id) where parent_id is not null;

-- Consents for third-party clients.
create table oauth_consent (
    project_id   uuid not null,
    account_id   uuid not null references account on delete cascade,
    client_id    text not null,
    client_name  text not null,
    scope        text not null,             -- all consented scopes, space-separated
    resource     text not null,
    tos_version  text not null,
    created_at   bigint not null,
    updated_at   bigint not null,
    primary key (project_id, account_id, client_id)
);
create index oauth_consent_account on oauth_consent (account_id);
