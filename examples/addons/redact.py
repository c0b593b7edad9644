# <workspace>/.indus/addons/redact.py
# Recorded onto the surface; never mutates global state.
from induscode.addons import (
    CommandSpec, GateDecision, ObserveHandler, InterceptorStage,
)

id = "redact" # optional; else derived from the path
version = "1.0.0" # optional
def register(surface):
    # Observe every tool call (fire-and-forget)
    surface.on("tool:before", ObserveHandler(lambda p: print("tool about to run", p)))
    # Block a tool's args by name via an enter stage
    def enter(ctx):
        if "secret" in ctx.args:
            return GateDecision(stop=True, reason="blocked secret arg")
        return None
    surface.intercept_tool("shell", InterceptorStage(enter=enter))
    # Contribute a slash command (an effect, not a console state transition)
    surface.add_command("hello", CommandSpec(
        summary="say hi",
        run=lambda cctx: print("hi from", cctx.cwd),
    ))
