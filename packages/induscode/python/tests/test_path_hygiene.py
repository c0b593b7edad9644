import os
import unittest

from induscode.addons import expand_path, resolve_path, scrub_invisible
from induscode.addons.path_hygiene import INVISIBLE_CODE_POINTS


class ScrubInvisible(unittest.TestCase):
    def test_each_code_point_of_the_list_goes(self) -> None:
        for code in INVISIBLE_CODE_POINTS:
            self.assertEqual(scrub_invisible(f"a{chr(code)}b"), "ab", hex(code))

    def test_ascii_blanks_go_at_the_ends_only(self) -> None:
        self.assertEqual(scrub_invisible(" \t\r\n a b\v\f\n"), "a b")

    def test_other_characters_stay(self) -> None:
        self.assertEqual(scrub_invisible("grün/日本\u0085.py"), "grün/日本\u0085.py")

    def test_twice_changes_nothing(self) -> None:
        once = scrub_invisible("\ufeff \u00a0 ~/a\u200b ")
        self.assertEqual(once, "~/a")
        self.assertEqual(scrub_invisible(once), once)


class ExpandPath(unittest.TestCase):
    def test_a_tilde_is_the_home_folder(self) -> None:
        self.assertEqual(expand_path("~", "/home/me"), "/home/me")
        self.assertEqual(expand_path("\u200b~/x", "/home/me"), "/home/me/x")
        self.assertEqual(expand_path("~/x"), os.path.join(os.path.expanduser("~"), "x"))

    def test_another_users_tilde_is_a_name(self) -> None:
        self.assertEqual(expand_path("~you/x", "/home/me"), "~you/x")

    def test_without_a_home_folder_it_stays(self) -> None:
        self.assertEqual(expand_path("~/x", ""), "~/x")


class ResolvePath(unittest.TestCase):
    def test_relative_paths_count_from_the_base(self) -> None:
        self.assertEqual(resolve_path("a/../b", "/w"), "/w/b")
        self.assertEqual(resolve_path("a"), os.path.join(os.getcwd(), "a"))

    def test_absolute_paths_stay(self) -> None:
        self.assertEqual(resolve_path("/x/./y ", "/w"), "/x/y")
