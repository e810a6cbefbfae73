-- True if the store may have a file of document d, or get one, without docd's knowledge. {direct}:
-- forms are posted to the store. The numbers are compared first, so that most documents need no
-- query of their forms. In a read-only project a file waits in the store. Only the sweep handles a
-- form that failed 10 times, see upload_fail.
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
