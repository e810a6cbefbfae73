-- Rejects changes of a read-only project's rows (NNNN_project_hold.sql). The triggers are disabled while no project is
-- read-only.

create trigger project_hold_document before insert or update or delete on document
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content before insert or update or delete on content
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content_translation before insert or update or delete on content_translation
    for each row execute function project_hold_guard('project_id');

-- Before this script no project can be read-only.
alter table document disable trigger project_hold_document;
alter table content disable trigger project_hold_content;
alter table content_translation disable trigger project_hold_content_translation;
