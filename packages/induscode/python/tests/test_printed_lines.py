import time
import unittest
from typing import Any, Dict, List, Tuple
from unittest import mock

from induscode.addons.process import printed_lines
from induscode.addons.process.printed_lines import PrintedLines, PrintedText


class Printed(unittest.TestCase):
    def setUp(self) -> None:
        self.sent: List[Tuple[str, Dict[str, Any]]] = []
        self.lines = PrintedLines(lambda method, params: self.sent.append((method, params)))

    def texts(self) -> List[str]:
        return [params["text"] for _, params in self.sent]

    def test_lines_of_a_command_are_progress_and_others_are_log(self) -> None:
        self.lines.write(7, "one\n")
        self.lines.write(None, "two\n\n")
        self.assertEqual(
            self.sent,
            [("progress", {"id": 7, "text": "one"}), ("log", {"text": "two"}), ("log", {"text": ""})],
        )

    def test_a_line_is_sent_when_it_ends_or_its_command_does(self) -> None:
        self.lines.write(7, "a")
        self.lines.write(8, "other")
        self.lines.write(7, "b\nc")
        self.assertEqual(self.texts(), ["ab"])
        self.lines.finish(7)
        self.lines.finish(7)
        self.assertEqual(self.texts(), ["ab", "c"])

    def test_a_flood_is_gathered_and_then_bounded(self) -> None:
        line = "x" * 99
        # In one second, however long that takes.
        with mock.patch("time.monotonic", return_value=7.0), mock.patch("threading.Timer"):
            for _ in range(50_000):
                self.lines.write(7, line + "\n")
            self.assertLess(len(self.sent), 2 * printed_lines.MAX_MESSAGES_PER_SECOND)
            self.lines.finish(7)
        size = sum(len(text) for text in self.texts())
        self.assertLess(size, 2 * (printed_lines.MAX_GATHERED + printed_lines.MAX_MESSAGES_PER_SECOND * 100))
        self.assertRegex(self.texts()[-1], r"^\d+ printed lines were dropped")

    def test_what_was_gathered_goes_out_by_itself(self) -> None:
        for number in range(printed_lines.MAX_MESSAGES_PER_SECOND * 2 + 5):
            self.lines.write(None, f"{number}\n")
        deadline = time.monotonic() + 60
        last = str(printed_lines.MAX_MESSAGES_PER_SECOND * 2 + 4)
        while not any(text.endswith(last) for text in self.texts()) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual("\n".join(self.texts()).split("\n")[-1], last)

    def test_a_line_without_an_end_is_cut(self) -> None:
        self.lines.write(None, "x" * (printed_lines.MAX_LINE * 2 + 10))
        self.assertEqual([len(text) for text in self.texts()], [printed_lines.MAX_LINE] * 2)

    def test_it_stands_in_for_stdout(self) -> None:
        out = PrintedText(self.lines, lambda: 3)
        print("text", 1, file=out, flush=True)
        out.buffer.write(b"gr\xc3\xbcn \xff\n")
        self.assertEqual(self.texts(), ["text 1", "grün \ufffd"])
        self.assertEqual((out.isatty(), out.encoding, out.fileno()), (False, "utf-8", 1))
        with self.assertRaises(TypeError):
            out.write(b"bytes")  # type: ignore[arg-type]
