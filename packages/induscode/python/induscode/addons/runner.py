"""Runs one addon as a process that speaks the addon protocol on its standard input and output:

python3 -I -B -X utf8 -c "import sys; sys.path.insert(0, KIT); from induscode.addons.runner import main; main()" ENTRY
"""

import sys

from .process.addon_process import AddonProcess
from .process.pipe import take_pipe
from .process.printed_lines import PrintedText


def main() -> None:
    """Serves the addon at the path that is the last argument, until the host says `dispose` or closes the pipe."""
    if len(sys.argv) != 2:
        sys.exit(f"induscode.addons.runner: expected one argument, the addon's entry file; found {len(sys.argv) - 1}")
    process = AddonProcess(sys.argv[1], take_pipe())
    sys.stdout = PrintedText(process.printed, process.printing_command)  # type: ignore[assignment]
    process.run()


if __name__ == "__main__":
    main()
