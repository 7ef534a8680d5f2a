"""Verifies webhooks with both official libraries. Prints for each whether they accepted it, or the name of the error."""
import json
import sys

import openai
import standardwebhooks


def outcome(verify):
    try:
        verify()
        return "accepted"
    except Exception as error:
        return type(error).__name__


def judge(secret, body, headers):
    client = openai.OpenAI(api_key="none", webhook_secret=secret)
    return [
        outcome(lambda: standardwebhooks.Webhook(secret).verify(body, headers)),
        outcome(lambda: client.webhooks.unwrap(body, headers)),
    ]


print(json.dumps([judge(**webhook) for webhook in json.load(sys.stdin)]))
