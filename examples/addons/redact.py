"""Takes e-mail addresses out of what the model reads, stops commands that name one, and counts both: `/redacted`."""

import json
import re

from induscode.addons import CommandSpec, GateDecision, InterceptorStage, ObserveHandler, TransformHandler

id = "redact"  # without it, the name of the file
version = "1.0.0"

ADDRESS = re.compile(r"[\w.+-]{1,64}@\w[\w.-]{1,250}")


def register(surface):
    counts = {"hidden": 0, "stopped": 0}

    def hide(payload):
        text, hidden = ADDRESS.subn("(an address)", payload["text"])
        counts["hidden"] += hidden
        return {"text": text}

    def guard(call):
        if ADDRESS.search(json.dumps(call.args)):
            counts["stopped"] += 1
            return GateDecision(stop=True, reason="it names an e-mail address")

    # What it prints outside of a command is in its log.
    surface.on("turn:end", ObserveHandler(lambda payload: print("so far", counts)))
    surface.on("tool:after", TransformHandler(hide))
    surface.intercept_tool("shell", InterceptorStage(enter=guard))  # `bash`, by another of its names
    surface.add_command("redacted", CommandSpec("how many addresses were hidden or stopped", lambda context: print(counts)))
