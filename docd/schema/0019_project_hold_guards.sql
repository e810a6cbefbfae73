-- What travels of a project that is read-only stays as it is (NNNN_project_hold.sql). The triggers are
-- disabled while none is.

create trigger project_hold_document before insert or update or delete on document
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content before insert or update or delete on content
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content_translation before insert or update or delete on content_translation
    for each row execute function project_hold_guard('project_id');

-- No project is read-only before this script: it is the first that lets one be.
alter table document disable trigger project_hold_document;
alter table content disable trigger project_hold_content;
alter table content_translation disable trigger project_hold_content_translation;
