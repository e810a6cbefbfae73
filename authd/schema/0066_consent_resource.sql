-- Consents for clients by resource: a consent covers a scope at one resource. oauth_consent keeps
-- all scopes, as shown, and the terms.
create table oauth_consent_resource (
    project_id  uuid not null,
    account_id  uuid not null,
    client_id   text not null,
    resource    text not null,              -- '': the issuer's own
    scope       text not null,              -- consented there, space-separated
    primary key (project_id, account_id, client_id, resource),
    foreign key (project_id, account_id, client_id) references oauth_consent on delete cascade
);
