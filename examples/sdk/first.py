"""`indus_sdk`: one task, and its answer."""

from indus_sdk import Call, Result, Text, query

for event in query("What is this project?", mode="read-only"):
    if isinstance(event, Text):
        print(event.text)
    if isinstance(event, Call):
        print(event.tool, event.input)
    if isinstance(event, Result) and event.fault:
        print(event.fault.message)
