-- The entity tag of row {from}: a hash of its values, so equal on all installations.
-- args: from
'"' || encode(sha256(convert_to({from}::text, 'UTF8')), 'hex') || '"'
