-- The columns of struct transfer_invited: {noted}, a row of transfer_account. No address: the
-- invitation has expired.
-- args: noted, project
{noted}.account_id as account,
{noted}.membership_id as membership,
(
    select i.email from invitation i where i.project_id = {project} and i.id = {noted}.membership_id
) as email,
{noted}.admin
