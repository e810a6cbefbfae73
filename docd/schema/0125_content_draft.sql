-- Unpublished texts of entries. Only admins read drafts; everyone else reads content_translation.
create table content_draft (
    project_id  uuid not null,
    type        text not null,
    key         text not null,
    language    text not null,
    title       text not null,
    sections    jsonb not null,             -- [{title, text}]
    author      text,
    code        text,
    updated_at  bigint not null,
    primary key (project_id, type, key, language)
);

create trigger project_hold_content_draft before insert or update or delete on content_draft
    for each row execute function project_hold_guard('project_id');
alter table content_draft disable trigger project_hold_content_draft;
