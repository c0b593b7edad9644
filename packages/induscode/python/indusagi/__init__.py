"""The names of the framework that addons import: from `indusagi.agent`, `indusagi.ai` and `indusagi.tui`."""
