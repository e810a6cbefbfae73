-- Columns of struct transfer_invited: {noted}, a row of transfer_account. There is no address where the
-- invitation is over.
-- args: noted, project
{noted}.account_id as account,
{noted}.membership_id as membership,
(
    select i.email from invitation i where i.project_id = {project} and i.id = {noted}.membership_id
) as email,
{noted}.admin
