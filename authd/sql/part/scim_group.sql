-- The columns of group {from} of a project's directory.
-- args: from
-- row: id uuid, display_name text, external_id text null, created int8
{from}.id,
{from}.display_name,
{from}.external_id,
{from}.created_at as created
