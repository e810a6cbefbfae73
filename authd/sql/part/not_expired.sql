-- {column}, the time at which a row expires, is after {now}. For a row that is found by its key. A
-- subtraction, which no index offers: a plan made while the table was empty would take the index on
-- that time, which the sweep uses, for as good as the key's, and read all that has not expired for
-- each request.
-- args: column, now
{column} - {now} > 0
