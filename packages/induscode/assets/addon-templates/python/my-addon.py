# An addon in Python. It runs in a process of its own, in a sandbox, and reaches the session only through `surface`.
# This block is its manifest: what it asks for stands here, and is read before anything of it runs.
#
# /// indus-addon
# version = "0.1.0"
# description = "Leaves pushing to the person, and says hello."
#
# [[capability]]
# kind = "alert"
# reason = "tells you when the model wanted to push"
# ///

from typing import Any, Mapping, Optional

from induscode.addons import AddonSurface, CommandSpec, GateDecision, GateHandler


def register(surface: AddonSurface) -> None:
    """Called once. It records what the addon contributes; nothing may have an effect yet."""

    # A gate may stop what is about to happen. ObserveHandler looks on, TransformHandler changes the payload.
    def leave_pushing(payload: Mapping[str, Any]) -> Optional[GateDecision]:
        if payload["name"] != "bash" or "git push" not in str(payload["args"]):
            return None
        surface.host.alert("the model wanted to push")
        return GateDecision(stop=True, reason="pushing is left to the person; say that it is ready to be pushed")

    surface.on("tool:before", GateHandler(leave_pushing))

    # Typed by a person: /my-command. What it prints is shown. A tool for the model is added with `surface.add_tool`.
    surface.add_command(
        "my-command",
        CommandSpec(summary="say hello", run=lambda ctx: print(f"Hello, {ctx.args or 'you'}!"), argument_hint="[name]"),
    )
