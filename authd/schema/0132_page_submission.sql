-- Forms of pages that are being done or were done within a minute: one that is sent again is answered
-- as the first time (authd/page/submission.h). Each form has one of 8,192 slots, so the table cannot
-- grow; the last form of a slot counts. Unlogged: a copy of the log holds no answer, and after a
-- crash of PostgreSQL a form that is sent again is done again.
create unlogged table page_submission (
    slot        integer primary key,
    id          bytea not null,             -- keyed hash of cookie, path and body
    held_until  bigint not null,            -- contract time: so long the first call may take
    until       bigint not null,            -- contract time
    answer      bytea                       -- sealed, secret; null: it is being done
);
create index page_submission_until on page_submission (until);
