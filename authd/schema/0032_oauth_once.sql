-- Ids of OAuth clients' assertions and proofs, which are valid once; kept until they expire.
create table oauth_once (
    hash        bytea primary key,          -- SHA-256 of kind, subject and id
    expires_at  bigint not null             -- contract time
);
create index oauth_once_expires on oauth_once (expires_at);
