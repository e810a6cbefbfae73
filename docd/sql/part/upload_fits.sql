-- True if a file of {bytes} fits in the quotas when it replaces that of document {document}:
-- {bytes_max} of a patient, {project_bytes_max} of the project.
-- args: document, bytes_max, project_bytes_max, bytes
document_fits(
    {document}.project_id, {document}.author_id, null,
    case {document}.author_type when 'Patient' then {bytes_max} end, {project_bytes_max}, 0,
    {bytes} - coalesce({document}.size, 0)
) as fits
