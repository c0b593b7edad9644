"""surface.ui: what it asks of the host, and what an answer becomes."""

import unittest
from typing import Any, Callable, Dict, List, Mapping, Tuple

from induscode.addons import AddonUi, HostRefused, UiOffers, addon_id, create_surface


class Port:
    """A host whose answers a test writes down."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.asked: List[Tuple[str, Dict[str, Any]]] = []

    def call(self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Any:
        self.asked.append((method, dict(params)))
        return read(self.answers.get(method, {}))

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        raise AssertionError(method)

    def cwd(self) -> str:
        return "/"

    def cancelled(self) -> bool:
        return False


class Ui(unittest.TestCase):
    def test_answers(self) -> None:
        port = Port(
            {
                "ui/offers": {"status": True, "render": False, "ask": True},
                "ui/select": {"choice": 1},
                "ui/confirm": {"isConfirmed": False},
                "ui/input": {"text": ""},
            }
        )
        ui = AddonUi(port)
        self.assertEqual(ui.offers(), UiOffers(status=True, render=False, ask=True))
        self.assertEqual(ui.select("which?", ["a", "b"], timeout_ms=1000), "b")
        self.assertIs(ui.confirm("sure?"), False)
        self.assertEqual(ui.input("name?", is_secret=True), "")
        ui.status("3 open", id="n")
        ui.render({"kind": "text", "text": "x"})
        self.assertEqual(
            port.asked[1:],
            [
                ("ui/select", {"question": "which?", "choices": ["a", "b"], "timeoutMs": 1000}),
                ("ui/confirm", {"question": "sure?"}),
                ("ui/input", {"question": "name?", "isSecret": True}),
                ("ui/status", {"text": "3 open", "id": "n"}),
                ("ui/render", {"shape": {"kind": "text", "text": "x"}}),
            ],
        )

    def test_no_answer_is_none(self) -> None:
        left = {"unanswered": "dismissed"}
        ui = AddonUi(Port({"ui/select": left, "ui/confirm": left, "ui/input": left}))
        self.assertEqual([ui.select("?", ["a"]), ui.confirm("?"), ui.input("?")], [None, None, None])

    def test_a_surface_without_a_host_refuses(self) -> None:
        with self.assertRaises(HostRefused) as caught:
            create_surface(addon_id("a")).ui.confirm("?")
        self.assertEqual(caught.exception.kind, "unavailable")


if __name__ == "__main__":
    unittest.main()
