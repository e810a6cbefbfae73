#!/usr/bin/python3
"""Parses an email from stdin with Python's email package and prints it as JSON:

    {"headers": [[name, unfolded value]...], "decoded": {lower-case name: value},
     "parts": [{"type", "charset", "text"}...], "defects": [...]}

So the tests do not judge maild's MIME with Atrium's own code.
"""
import email
import email.policy
import json
import sys

message = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.SMTP)
raw = email.message_from_bytes(message.as_bytes(), policy=email.policy.compat32)
parts = [part for part in message.walk() if not part.is_multipart()]
defects = list(message.defects)
for part in message.walk():
    defects += part.defects
    for value in part.values():
        defects += value.defects
json.dump({
    "headers": [[name, str(value)] for name, value in raw.items()],
    "decoded": {name.lower(): str(value) for name, value in message.items()},
    "parts": [{"type": part.get_content_type(), "charset": part.get_content_charset(),
               "text": part.get_content()} for part in parts],
    "defects": [repr(defect) for defect in defects],
}, sys.stdout)
