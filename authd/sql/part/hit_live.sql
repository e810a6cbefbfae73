-- True if hit h is in the {window} ms before {now}. Hits of an instance whose clock is ahead count;
-- those of a test clock that was set back don't.
-- args: now, window
h > {now} - {window} and h <= {now} + {window}
