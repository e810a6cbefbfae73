-- Until the table is analyzed, any index that begins with project_id looks as good as the primary key, and a prepared
-- statement keeps such a plan: looking up an id then reads a whole project. So these two indexes need the condition
-- updated_at >= 0, which is always true and which only lists use.
drop index document_updated;
drop index document_author;
create index document_updated on document (project_id, updated_at desc) where updated_at >= 0;
create index document_author on document (project_id, author_id, updated_at desc) where updated_at >= 0;
