-- Columns of struct document_row, from document {from}.
-- args: from
{from}.id,
{from}.updated_at as "lastUpdated",
{from}.author_type || '/' || {from}.author_id as author,
{from}.author_display as "authorDisplay",
{from}.file_name as "fileName",
{from}.content_type as "contentType",
coalesce({from}.size, -1) as size,
{from}.public_token as token
