"""The two runtimes: events, and the tool boundary."""
