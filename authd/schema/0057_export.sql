-- A time in ms since the epoch as a FHIR instant.
create function export_time(ms bigint) returns text language sql stable as $$
    select to_char(to_timestamp(ms / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
