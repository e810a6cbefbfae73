-- Triggers that protect moving rows of read-only projects (NNNN_project_hold.sql). They are disabled while no project
-- is read-only.

create trigger project_hold_project before insert or update or delete on project
    for each row execute function project_hold_guard('id');
create trigger project_hold_tenant_code before insert or update or delete on tenant_code
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_access_policy before insert or update or delete on access_policy
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_client before insert or update or delete on client
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_setting_history before insert or update or delete on setting_history
    for each row execute function project_hold_guard('project_id');

-- No project can be read-only before this script.
alter table project disable trigger project_hold_project;
alter table tenant_code disable trigger project_hold_tenant_code;
alter table access_policy disable trigger project_hold_access_policy;
alter table client disable trigger project_hold_client;
alter table setting_history disable trigger project_hold_setting_history;
