-- Erase requests to other daemons than docd. Earlier erasures have none: their receipts name authd
-- and docd.
create table erasure_request (
    account_id  uuid not null references erasure,
    daemon      text not null,
    requests    bigint not null,
    primary key (account_id, daemon)
);
