-- FHIR servers that accept tokens of a project's issuer (SMART App Launch 2.2).

create table fhir_server (
    project_id           uuid not null,
    id                   uuid not null,
    name                 text not null,
    base                 text not null,     -- value of `aud` and `resource`, byte by byte
    patient_scopes       text[] not null,   -- patients' maximum, in the syntax of version 2
    practitioner_scopes  text[] not null,   -- practitioners' maximum
    created_at           bigint not null,
    updated_at           bigint not null,
    primary key (project_id, id)
);
create unique index fhir_server_base on fhir_server (project_id, base);

-- Keeps a read-only project's servers unchanged (0043_project_hold_guards). Unlike the other guards,
-- this trigger is enabled from the start, and disabled only when a first project is no longer
-- read-only. Servers are written too rarely for that to matter.
create trigger project_hold_fhir_server before insert or update or delete on fhir_server
    for each row execute function project_hold_guard('project_id');
