-- Rejects changes of a read-only project's rows (NNNN_project_hold.sql). The triggers are disabled while no project is
-- read-only.

create trigger project_hold_bot before insert or update or delete on bot
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_execution before insert or update or delete on execution
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_translation_day before insert or update or delete on translation_day
    for each row execute function project_hold_guard('project_id');

-- Before this script no project can be read-only.
alter table bot disable trigger project_hold_bot;
alter table execution disable trigger project_hold_execution;
alter table translation_day disable trigger project_hold_translation_day;
