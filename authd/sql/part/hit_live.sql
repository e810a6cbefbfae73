-- Hit h is within the {window} ms that end at {now}. Hits of an instance whose clock runs ahead
-- count; those of a test clock that was set back since do not.
-- args: now, window
h > {now} - {window} and h <= {now} + {window}
