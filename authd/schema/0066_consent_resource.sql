-- What a person has let a client do at each resource: a consent is to a scope at a resource, not to every scope of the
-- client at every resource of it. oauth_consent keeps what is shown: all scopes, and the terms.
create table oauth_consent_resource (
    project_id  uuid not null,
    account_id  uuid not null,
    client_id   text not null,
    resource    text not null,              -- '': the issuer's own
    scope       text not null,              -- what was allowed there, words between blanks
    primary key (project_id, account_id, client_id, resource),
    foreign key (project_id, account_id, client_id) references oauth_consent on delete cascade
);
