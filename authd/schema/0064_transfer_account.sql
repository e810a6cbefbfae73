-- Results for accounts of a tenant's file (authd/account/transfer.h): added, or its owner was
-- invited, because the file must not change an existing account. They decide whether the
-- file's other rows of the account are added.

create table transfer_account (
    project_id     uuid not null,
    account_id     uuid not null,           -- in the file; also here only if it was added
    membership_id  uuid not null,           -- in the file and the invitation
    invited        boolean not null,
    admin          boolean not null,        -- in the file
    expires_at     bigint not null,
    primary key (project_id, account_id)
);
create index transfer_account_invited on transfer_account (project_id, membership_id) where invited;
create index transfer_account_expires on transfer_account (expires_at);
