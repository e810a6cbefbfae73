-- A FHIR R4 Basic for a record without a resource type of its own: {code} names its kind, {values}
-- are rows of a name and a text.
-- args: id, code, subject, created, values
json_strip_nulls(json_build_object(
    'resourceType', 'Basic',
    'id', {id},
    'code', json_build_object(
        'coding', json_build_array(json_build_object('system', 'urn:atrium:export', 'code', {code}))
    ),
    'subject', json_build_object('reference', {subject}),
    'created', left(export_time({created}), 10),
    'extension', (
        select json_agg(json_build_object('url', 'urn:atrium:export/' || name, 'valueString', value))
        from (values {values}) v (name, value)
        where value <> ''
    )
))::text
