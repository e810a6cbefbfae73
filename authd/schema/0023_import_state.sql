-- When an import has last made accounts: by it every instance sees that there are new password hashes of other systems.
create table import_state (
    single      boolean primary key default true check (single),
    changed_at  bigint not null
);
insert into import_state (changed_at) values (0);
