-- Continue-as-patient links that were used: each is good once, so its id stays for as long as the link would be good.

create table continue_spent (
    id     uuid primary key,
    until  bigint not null
);
create index continue_spent_until on continue_spent (until);
