-- What became of each account of a tenant's file (authd/account/transfer.h): it was added, or its owner was invited,
-- since there is an account here that the file must not touch. What else the file has of an account goes by this row.

create table transfer_account (
    project_id     uuid not null,
    account_id     uuid not null,           -- of the file; of an account here only where it was added
    membership_id  uuid not null,           -- of the file; the invitation has the same
    invited        boolean not null,
    admin          boolean not null,        -- what the file says of the membership
    expires_at     bigint not null,
    primary key (project_id, account_id)
);
create index transfer_account_invited on transfer_account (project_id, membership_id) where invited;
create index transfer_account_expires on transfer_account (expires_at);
