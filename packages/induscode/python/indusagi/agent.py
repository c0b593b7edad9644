"""Tools and what they answer."""

from induscode.addons.framework import AgentTool, AgentToolResult, ThinkingLevel

__all__ = ["AgentTool", "AgentToolResult", "ThinkingLevel"]
