-- The entity tag of the row {from}: a hash of what it holds, so that it is the same wherever the row is.
-- args: from
'"' || encode(sha256(convert_to({from}::text, 'UTF8')), 'hex') || '"'
