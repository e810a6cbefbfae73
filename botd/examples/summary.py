#!/usr/bin/env python3
"""Adds up the points of a questionnaire: {"input": {"answers": [1, 0, 3]}} -> {"score": 4, "risk": "moderate"}.

A program bot reads one JSON object and prints one JSON value. To fail, print {"message": ...} and exit with
another status than 0: who called the bot is shown the message.
"""
import json
import sys


def fail(message):
    print(json.dumps({"message": message}))
    sys.exit(1)


def main():
    answers = json.load(sys.stdin)["input"].get("answers")
    if not isinstance(answers, list) or not all(isinstance(a, int) and 0 <= a <= 3 for a in answers):
        fail("answers must be a list of numbers from 0 to 3")
    score = sum(answers)
    risk = "low" if score < 3 else "moderate" if score < 10 else "high"
    print(json.dumps({"score": score, "risk": risk}))


main()
