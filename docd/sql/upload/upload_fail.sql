-- Records that an arrived file could not be adopted: the next try is in one minute, then in two,
-- four, up to six hours. is_given_up: it failed 10 times, the first time by `given_up_at`. No row:
-- the file was adopted meanwhile, or its document was deleted.
-- class: write
-- in: project uuid, id uuid, now int8, given_up_at int8
-- rows: one
-- row: document uuid, is_first bool, is_given_up bool
update upload u
set failures = failures + 1, failed_at = coalesce(failed_at, :now),
    retry_at = :now + least(60000::int8 << least(failures, 9)::int, 6 * 3600000)
from document d
where u.project_id = :project and u.id = :id
    and d.project_id = u.project_id and d.id = u.document_id and u.number > coalesce(d.upload, 0)
returning
    d.id as document,
    u.failures = 1 as is_first,
    u.failed_at <= :given_up_at and u.failures >= 10 as is_given_up
