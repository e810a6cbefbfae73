-- Whether document d has a form by which a file may come, or has come, to the store without docd;
-- {direct}: the store takes forms itself. The numbers alone would say so for ever of a form that was
-- never used; they spare most documents the look at the forms. In a project that is read-only a file
-- waits in the store. A form that failed 10 times is left
-- to the sweep, see upload_fail.
-- args: direct
(
    {direct} and d.uploads > coalesce(d.upload, 0) and exists (
        select
        from upload u
        where u.project_id = d.project_id and u.document_id = d.id
            and u.number > coalesce(d.upload, 0) and u.failures < 10
    )
    and not exists (select from project_hold h where h.project_id = d.project_id offset 0)
) as pending
