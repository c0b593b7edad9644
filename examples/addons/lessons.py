# What was learned here, remembered by an addon: /learned keeps a line for this folder, /forget takes one out, and a tool finds
# them again. Each line stands under the addon's name in a file that the person reads (/memory), and they are told of each.
#
# /// indus-addon
# [[capability]]
# kind = "memory"
# read = true
# write = true
# reason = "remembers what was learned in this folder"
# ///

from induscode.addons import AgentTool, CommandSpec, HostRefused

version = "1.0.0"


def register(surface):
    def learned(ctx):
        try:
            surface.host.memory_add(ctx.args, "project")
            print("Remembered.")
        except HostRefused as refused:
            print(f"Not remembered: {refused}")

    def forget(ctx):
        for entry in surface.host.memory_search(ctx.args, "project"):
            surface.host.memory_replace(entry["text"], "", "project")
            print(f"Forgotten: {entry['text']}")

    surface.add_command("learned", CommandSpec(summary="Remembers a line for this folder", run=learned))
    surface.add_command("forget", CommandSpec(summary="Forgets the lines with these words", run=forget))
    surface.add_tool(
        AgentTool(
            name="lessons",
            description="What was learned in this folder, by words.",
            parameters={"type": "object", "properties": {"words": {"type": "string"}}},
            execute=lambda args: "\n".join(
                entry["text"] for entry in surface.host.memory_search(args.get("words"), "project")
            )
            or "No matching entry is remembered.",
            required_capabilities=[{"kind": "memory", "read": True}],
        )
    )
