-- What the issuers below /t/ keep. A grant is a session; here stands what it has besides.

-- Requests that a client has pushed (RFC 9126): spent by the answer that they get, not by being looked at.
create table oauth_pushed (
    project_id  uuid not null,
    hash        bytea not null,             -- of the secret part of its request_uri
    client_id   text not null,
    request     text not null,              -- JSON
    expires_at  bigint not null,            -- may be begun until then
    keep_until  bigint not null,            -- and be answered until then
    used_at     bigint,
    primary key (project_id, hash)
);
create index oauth_pushed_keep on oauth_pushed (keep_until);

-- Authorization codes, known by hash; kept beyond their life, so that one used twice ends its session.
create table oauth_code (
    project_id     uuid not null,
    code_hash      bytea not null,
    client_id      text not null,
    account_id     uuid not null references account on delete cascade,
    parent_id      uuid not null,           -- the browser's session
    redirect_uri   text not null,
    challenge      text,                    -- S256, base64url; null: of a client that needs none
    scope          text not null,
    resource       text,
    nonce          text,
    signed_in_at   bigint not null,
    created_at     bigint not null,
    expires_at     bigint not null,
    keep_until     bigint not null,
    used_at        bigint,
    session_id     uuid,                    -- that it was exchanged for; null: for none
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
    resource      text,                     -- null: the issuer itself
    nonce         text,
    parent_id     uuid,                     -- the session that takes it along when it ends; null: with offline_access
    signed_in_at  bigint not null,
    jkt           text,                     -- thumbprint of the key that its tokens are bound to
    created_at    bigint not null,
    primary key (project_id, session_id),
    foreign key (project_id, session_id) references session on delete cascade
);
create index oauth_grant_parent on oauth_grant (project_id, parent_id) where parent_id is not null;

-- What a person has let a client of other makers do.
create table oauth_consent (
    project_id   uuid not null,
    account_id   uuid not null references account on delete cascade,
    client_id    text not null,
    client_name  text not null,
    scope        text not null,             -- all that was allowed, words between blanks
    resource     text not null,
    tos_version  text not null,
    created_at   bigint not null,
    updated_at   bigint not null,
    primary key (project_id, account_id, client_id)
);
create index oauth_consent_account on oauth_consent (account_id);
