-- Login l by its key {id}, planned for itself: a plan made while the tables were small would read
-- more.
-- args: id
(select * from login where id = {id} limit 1) l
