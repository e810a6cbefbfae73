-- What travels of a project that is read-only stays as it is (NNNN_project_hold.sql). The triggers are
-- disabled while none is.

create trigger project_hold_template before insert or update or delete on template
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_job before insert or update or delete on job
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_webhook before insert or update or delete on webhook
    for each row execute function project_hold_guard('project_id');

-- No project is read-only before this script: it is the first that lets one be.
alter table template disable trigger project_hold_template;
alter table job disable trigger project_hold_job;
alter table webhook disable trigger project_hold_webhook;
