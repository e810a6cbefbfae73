-- The time of the last import of accounts, from which instances see that there are new imported
-- hashes.
create table import_state (
    single      boolean primary key default true check (single),
    changed_at  bigint not null
);
insert into import_state (changed_at) values (0);
