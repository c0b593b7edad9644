import os
import tempfile
import unittest

from induscode.addons import ADDONS_DIR, AddonDiscovery, AddonSource, addon_id, discover_addons, discover_sources


class Discovery(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.workspace = os.path.realpath(folder.name)
        self.addons = os.path.join(self.workspace, ADDONS_DIR)

    def put(self, name: str) -> str:
        path = os.path.join(self.addons, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8"):
            return path

    def test_the_folder_is_the_lineages(self) -> None:
        self.assertEqual(ADDONS_DIR, ".indus/addons")

    def test_two_shapes_are_found_sorted_by_name(self) -> None:
        late, package, early = self.put("zeta.py"), self.put("middle/__init__.py"), self.put("alpha.py")
        self.assertEqual(discover_addons(self.addons), [early, package, late])

    def test_hidden_entries_caches_and_other_files_are_skipped(self) -> None:
        for name in (".hidden.py", ".git/__init__.py", "__pycache__/__init__.py", "notes.txt", "bare/other.py", "x.ts"):
            self.put(name)
        seen = self.put("seen.py")
        self.assertEqual(discover_addons(self.addons), [seen])

    def test_one_level_deep(self) -> None:
        self.put("outer/inner/__init__.py")
        self.put("outer/loose.py")
        self.assertEqual(discover_addons(self.addons), [])

    def test_a_folder_named_like_a_file_is_judged_as_a_folder(self) -> None:
        os.makedirs(os.path.join(self.addons, "odd.py"))
        self.assertEqual(discover_addons(self.addons), [])

    def test_a_missing_folder_holds_none(self) -> None:
        self.assertEqual(discover_addons(os.path.join(self.workspace, "none")), [])

    def test_sources_carry_a_derived_id(self) -> None:
        file, package = self.put("redact.py"), self.put("safety/__init__.py")
        self.assertEqual(
            discover_sources(AddonDiscovery(workspace=self.workspace)),
            [AddonSource(addon_id("redact"), file), AddonSource(addon_id("safety"), package)],
        )

    def test_explicit_paths_come_last_and_the_first_mention_wins(self) -> None:
        file, package = self.put("redact.py"), self.put("safety/__init__.py")
        elsewhere = os.path.join(self.workspace, "not-there.py")
        where = AddonDiscovery(self.workspace, explicit_paths=[elsewhere, os.path.dirname(package), file, elsewhere])
        self.assertEqual([source.path for source in discover_sources(where)], [file, package, elsewhere])

    def test_explicit_paths_are_scrubbed_and_relative_to_the_workspace(self) -> None:
        where = AddonDiscovery(self.workspace, explicit_paths=["\u200bsub/x.py "])
        path = os.path.join(self.workspace, "sub/x.py")
        self.assertEqual(discover_sources(where), [AddonSource(addon_id("x"), path)])

    def test_another_folder_can_be_named(self) -> None:
        file = self.put("redact.py")
        os.rename(self.addons, os.path.join(self.workspace, "mine"))
        moved = os.path.join(self.workspace, "mine", os.path.basename(file))
        found = discover_sources(AddonDiscovery(self.workspace, dir="mine"))
        self.assertEqual([source.path for source in found], [moved])

    def test_without_a_workspace_only_explicit_paths_count(self) -> None:
        self.assertEqual(discover_sources(AddonDiscovery()), [])
        found = discover_sources(AddonDiscovery(explicit_paths=["/a/b.py"]))
        self.assertEqual([source.path for source in found], ["/a/b.py"])
