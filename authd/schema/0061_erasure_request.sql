-- Requests to daemons beside docd, which they must have carried out. An erasure of before has none: its receipt names
-- authd and docd.
create table erasure_request (
    account_id  uuid not null references erasure,
    daemon      text not null,
    requests    bigint not null,
    primary key (account_id, daemon)
);
