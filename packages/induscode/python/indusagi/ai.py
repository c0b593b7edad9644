"""Messages and models."""

from induscode.addons.framework import AgentMessage, Model

__all__ = ["AgentMessage", "Model"]
