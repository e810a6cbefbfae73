-- What travels of a project that is read-only stays as it is (NNNN_project_hold.sql). The triggers are
-- disabled while none is.

create trigger project_hold_document before insert or update or delete on document
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content before insert or update or delete on content
    for each row execute function project_hold_guard('project_id');
create trigger project_hold_content_translation before insert or update or delete on content_translation
    for each row execute function project_hold_guard('project_id');

select project_hold_apply();
