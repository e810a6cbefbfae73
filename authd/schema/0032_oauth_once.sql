-- What may be used once and is known until it has expired: ids of assertions and proofs of OAuth clients.
create table oauth_once (
    hash        bytea primary key,          -- SHA-256 of kind, subject and id
    expires_at  bigint not null             -- contract time
);
create index oauth_once_expires on oauth_once (expires_at);
