-- Page forms that are being handled or were handled in the last minute; a repeated form gets the
-- first answer (authd/page/submission.h). Each form has one of 8,192 slots, which limits the table;
-- a slot's last form counts. Unlogged: replicas have no answers, and after a PostgreSQL crash a
-- repeated form is handled again.
create unlogged table page_submission (
    slot        integer primary key,
    id          bytea not null,             -- keyed hash of cookie, path and body
    held_until  bigint not null,            -- contract time by which the first call must answer
    until       bigint not null,            -- contract time
    answer      bytea                       -- sealed, secret; null: in progress
);
create index page_submission_until on page_submission (until);
