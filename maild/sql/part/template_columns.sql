-- Columns of struct template_record, from {from}.
-- args: from
{from}.name,
nullif({from}.language, '') as language,
{from}.subject,
{from}.html,
{from}.text,
{from}.updated_at as "lastUpdated"
