-- Used continue-as-patient links. Each is valid once, so its id is kept until the link expires.

create table continue_spent (
    id     uuid primary key,
    until  bigint not null
);
create index continue_spent_until on continue_spent (until);
