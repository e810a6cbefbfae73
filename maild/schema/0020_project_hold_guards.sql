-- Rejects changes of a read-only project's rows (NNNN_project_hold.sql). The triggers are disabled while no project is
-- read-only.

create trigger project_hold_template before insert or update or delete on template
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_job before insert or update or delete on job
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_webhook before insert or update or delete on webhook
    for each row execute function project_hold_guard('project_id');

-- Before this script no project can be read-only.
alter table template disable trigger project_hold_template;
alter table job disable trigger project_hold_job;
alter table webhook disable trigger project_hold_webhook;
