# /// indus-addon
# description = "One handler or two for each event, as docs/reference/events.md shows them."
# [[capability]]
# kind = "files"
# execute = true
# reason = "sets CI=1 for commands"
# ///

import json
import re

from induscode.addons import GateDecision, GateHandler, ObserveHandler, TransformHandler


def register(surface):
    def began(payload):
        surface.host.log(f"session {payload['sessionId']} began")
    surface.on("session:start", ObserveHandler(began))

    def is_over(payload):
        surface.host.log(f"session {payload['sessionId']} is over")
    surface.on("session:end", ObserveHandler(is_over))

    def at_work(payload):
        surface.host.log(f"{payload.get('delegate', 'the session')} is at work")
    surface.on("turn:start", ObserveHandler(at_work))

    def has_done(payload):
        surface.host.log(f"{payload.get('delegate', 'the session')} has done its work")
    surface.on("turn:end", ObserveHandler(has_done))

    # Stops a call: the model reads why.
    def keep_pushes(payload):
        if payload["name"] == "bash" and re.search(r"\bgit push\b", json.dumps(payload["args"])):
            return GateDecision(stop=True, reason="pushing is left to the person")
    surface.on("tool:before", GateHandler(keep_pushes))

    # Changes its arguments; what it does not return stays.
    def without_scripts(payload):
        if payload["name"] == "bash":
            command = re.sub(r"^npm ci$", "npm ci --ignore-scripts", payload["args"]["command"])
            return {"args": {**payload["args"], "command": command}}
    surface.on("tool:before", TransformHandler(without_scripts))

    def without_addresses(payload):
        return {"text": re.sub(r"\S+@\S+\.\w+", "(an address)", payload["text"])}
    surface.on("tool:after", TransformHandler(without_addresses))

    def exactly(payload):
        return {"params": {**payload["params"], "temperature": 0}}
    surface.on("chat:params", TransformHandler(exactly))

    def plainly(payload):
        blocks = [
            {**block, "text": block["text"].replace("utilize", "use")} if block["kind"] == "text" else block
            for block in payload["message"]["content"]
        ]
        return {"message": {**payload["message"], "content": blocks}}
    surface.on("chat:message", TransformHandler(plainly))

    # Needs the grant `files` with `execute`: a variable can choose what runs.
    def as_in_ci(payload):
        return {"env": {**payload["env"], "CI": "1"}}
    surface.on("shell:env", TransformHandler(as_in_ci))

    # Stops the line: the person reads why, and the model never sees it.
    def keep_keys(payload):
        if re.search(r"\bkey-[a-z0-9]{8,}\b", payload["text"]):
            return GateDecision(stop=True, reason="that looks like a secret")
    surface.on("input:submit", GateHandler(keep_keys))

    # Changes the line; the log keeps what was typed.
    def open_work(payload):
        return {"text": re.sub(r"(?i)^todo:", "Add this to the list of open work:", payload["text"])}
    surface.on("input:submit", TransformHandler(open_work))

    # For this request only: the next one starts from the log again.
    def remind(payload):
        reminder = {"kind": "text", "text": "(The release is frozen until Monday.)"}
        return {"messages": [*payload["messages"], {"role": "user", "content": [reminder]}]}
    surface.on("context:build", TransformHandler(remind))

    def remember(payload):
        return {"summary": payload["summary"] + "\n\nThe release is frozen until Monday."}
    surface.on("compact:build", TransformHandler(remember))

    def keep_transcript(payload):
        if payload["reason"] == "asked":
            return GateDecision(stop=True, reason="the transcript is the evidence here")
    surface.on("compact:before", GateHandler(keep_transcript))
