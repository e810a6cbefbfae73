-- Sorts documents d by {key}: _lastUpdated, fileName or contentType; "-" means descending, null no
-- order.
-- args: key
case when {key} = '_lastUpdated' then d.updated_at end,
case when {key} = '-_lastUpdated' then d.updated_at end desc,
case {key} when 'fileName' then d.file_name when 'contentType' then d.content_type end,
case {key} when '-fileName' then d.file_name when '-contentType' then d.content_type end desc
