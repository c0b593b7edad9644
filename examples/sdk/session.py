"""`indus_sdk`: several tasks in one session, with questions that this program answers, and an asynchronous loop."""

import asyncio

from indus_sdk import Answer, Outcome, Question, Session, Text, query


def ask(question: Question) -> Answer:
    print(f"asked about {question.tool}: {question.input['command']}")
    return Answer("once") if question.tool == "bash" else Answer("no", "commands only")


with Session(mode="ask", ask=ask) as session:
    for event in session.submit("Make count.txt, by a command"):
        if isinstance(event, Outcome):
            print(event.tool, event.state)
    session.fork(1)
    print(session.submit("What did you do?").result().text)


async def verdict() -> None:
    schema = {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]}
    async for event in query("Can this be released?", output_schema=schema, resume=session.id):
        if isinstance(event, Text):
            print(event.text)


asyncio.run(verdict())
