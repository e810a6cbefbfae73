-- Deletes words that no translation uses, counted by this transaction.
-- class: tx
-- in: project uuid, words text
-- rows: none
delete from content_word w
using json_to_recordset(:words::json)
    gone (type text, language text, word text collate "C")
where w.project_id = :project and w.type = gone.type and w.language = gone.language
    and w.word = gone.word
