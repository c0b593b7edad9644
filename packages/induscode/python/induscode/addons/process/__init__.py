"""What turns one addon into a process that speaks the addon protocol. Started by `runner.py`."""
