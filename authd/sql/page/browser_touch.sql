-- Records a browser's use of its session, which extends it.
-- class: write
-- in: project uuid, session uuid, now int8, idle_until int8
-- rows: none
update session s
set last_updated = :now, idle_until = least(:idle_until, s.absolute_until)
where s.project_id = :project and s.id = :session and
    -- include: session_valid(session = s, now = :now)
