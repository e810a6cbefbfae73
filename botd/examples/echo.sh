#!/bin/sh
# Answers what it was given, line by line: works as a warm program and as one that is started for each call.
while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line"
done
