-- Login l by its key {id}, planned separately: a plan from when the tables were small would read
-- more.
-- args: id
(select * from login where id = {id} limit 1) l
