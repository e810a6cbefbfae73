-- Queues a message. 0 rows: the project has no such template and the built-in one is not allowed,
-- or the message was queued before. A message with a built-in template has the nil UUID as project.
-- class: write
-- in: id uuid, project uuid null, template text, language text, default_language text
-- in: sealed bytea, builtin bool, now int8, expires_at int8 null
-- rows: none
insert into message (
    id, project_id, template, language, sealed, due_at, created_at, default_language, expires_at
)
select
    :id,
    case when t.mapped then :project else '00000000-0000-0000-0000-000000000000'::uuid end,
    :template, :language, :sealed, :now, :now, :default_language, :expires_at
from (
    select exists (select from template where project_id = :project and name = :template)
) t (mapped)
where t.mapped or :builtin
on conflict (id) do nothing
