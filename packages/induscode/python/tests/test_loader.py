import asyncio
import importlib.util
import os
import py_compile
import sys
import tempfile
import unittest
from typing import Any

from induscode.addons import create_module_loader

ADDON = "def register(surface): pass\n"


class AddonFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        # As in a run without a prefix: byte code lies beside its source.
        self.addCleanup(setattr, sys, "pycache_prefix", sys.pycache_prefix)
        sys.pycache_prefix = None
        before = set(sys.modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in set(sys.modules) - before])

    def put(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def load(self, path: str) -> Any:
        return asyncio.run(create_module_loader().load(path))


class Loader(AddonFolder):
    def test_what_failure_does_in_either_spelling(self) -> None:
        for spelling in ("on_failure", "onFailure"):
            manifest = self.load(self.put(f"{spelling}.py", ADDON + f"{spelling} = 'block'\n"))
            self.assertEqual(manifest.on_failure, "block")
            with self.assertRaisesRegex(TypeError, "must be \"allow\" or \"block\"; got 'blok'"):
                self.load(self.put(f"wrong_{spelling}.py", ADDON + f"{spelling} = 'blok'\n"))

    def test_a_module_level_register_with_id_and_version(self) -> None:
        manifest = self.load(self.put("a.py", ADDON + "id = 'mine'\nversion = '1.2'\n"))
        self.assertEqual((manifest.id, manifest.version, callable(manifest.register)), ("mine", "1.2", True))

    def test_id_and_version_that_are_no_texts_are_ignored(self) -> None:
        manifest = self.load(self.put("a.py", ADDON + "id = 7\nversion = None\n"))
        self.assertEqual((manifest.id, manifest.version), (None, None))

    def test_a_manifest_or_default_object(self) -> None:
        for name in ("manifest", "default"):
            register = f"    def register(self, surface): return '{name}'\n"
            text = f"class Own:\n    id = '{name}-id'\n{register}{name} = Own()\n"
            manifest = self.load(self.put(f"{name}.py", text))
            self.assertEqual((manifest.id, manifest.register(None)), (f"{name}-id", name))

    def test_a_package_and_its_relative_imports(self) -> None:
        self.put("kit/words.py", "WORD = 'inside'\n")
        entry = self.put("kit/__init__.py", "from .words import WORD\ndef register(surface): return WORD\n")
        self.assertEqual(self.load(entry).register(None), "inside")
        self.assertEqual(self.load(os.path.dirname(entry)).register(None), "inside")

    def test_a_package_cannot_lack_a_module_in_silence(self) -> None:
        entry = self.put("kit/__init__.py", "from .missing import X\n" + ADDON)
        with self.assertRaisesRegex(ModuleNotFoundError, "no module 'missing' in .*kit"):
            self.load(entry)

    def test_dataclasses_work_because_the_module_is_registered_while_it_runs(self) -> None:
        future = "from __future__ import annotations\nimport dataclasses\n"
        text = future + "@dataclasses.dataclass\nclass A:\n    x: int = 1\n" + ADDON
        self.assertIsNotNone(self.load(self.put("a.py", text)))
        names = [name for name in sys.modules if name.startswith("_indus_addon_") and name.endswith("_a")]
        self.assertEqual(len(names), 1)

    def test_an_edited_addon_runs_again(self) -> None:
        path = self.put("a.py", "id = 'one'\n" + ADDON)
        self.assertEqual(self.load(path).id, "one")
        self.put("a.py", "id = 'two'\n" + ADDON)
        self.assertEqual(self.load(path).id, "two")

    def test_a_failing_module_raises_and_leaves_no_trace(self) -> None:
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.load(self.put("broken.py", "1 / 0\n"))
        self.assertEqual([name for name in sys.modules if name.endswith("_broken")], [])

    def test_a_module_without_register_says_what_is_missing(self) -> None:
        with self.assertRaisesRegex(TypeError, r"expected a function register\(surface\)"):
            self.load(self.put("a.py", "x = 1\n"))

    def test_a_path_without_a_file_says_what_was_expected(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "expected a Python file, or a folder with __init__.py"):
            self.load(os.path.join(self.folder, "none.py"))

    def test_a_pasted_path_is_cleaned(self) -> None:
        self.assertIsNotNone(self.load("\u200b" + self.put("a.py", ADDON) + " \n"))

    def test_no_byte_code_is_written(self) -> None:
        before = sys.dont_write_bytecode
        sys.dont_write_bytecode = False
        self.addCleanup(setattr, sys, "dont_write_bytecode", before)
        self.put("kit/words.py", "WORD = 1\n")
        self.load(self.put("kit/__init__.py", "from .words import WORD\n" + ADDON))
        self.load(self.put("a.py", ADDON))
        self.assertEqual([name for _, folders, _ in os.walk(self.folder) for name in folders], ["kit"])


class PlantedByteCode(AddonFolder):
    """A repository brings `__pycache__` with other code than the source that a person has trusted."""

    def plant(self, path: str, evil: str) -> None:
        source = self.put("evil.txt", evil)
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        cache = importlib.util.cache_from_source(path)
        py_compile.compile(source, cache, dfile=path, invalidation_mode=mode, doraise=True)

    def test_the_source_of_an_entry_runs_not_its_planted_byte_code(self) -> None:
        path = self.put("a.py", "id = 'trusted'\n" + ADDON)
        self.plant(path, "id = 'planted'\n" + ADDON)
        self.assertEqual(self.load(path).id, "trusted")

    def test_the_source_of_an_inner_module_runs_not_its_planted_byte_code(self) -> None:
        inner = self.put("kit/inner.py", "WORD = 'trusted'\n")
        self.plant(inner, "WORD = 'planted'\n")
        entry = self.put("kit/__init__.py", "from .inner import WORD as id\n" + ADDON)
        self.assertEqual(self.load(entry).id, "trusted")

    def test_a_package_cannot_import_byte_code_without_a_source(self) -> None:
        source = self.put("inner.txt", "WORD = 'planted'\n")
        py_compile.compile(source, os.path.join(self.folder, "kit", "inner.pyc"), doraise=True)
        with self.assertRaises(ModuleNotFoundError):
            self.load(self.put("kit/__init__.py", "from .inner import WORD as id\n" + ADDON))

    def test_twin_pythons_own_loader_runs_the_planted_byte_code(self) -> None:
        path = self.put("a.py", "id = 'trusted'\n" + ADDON)
        self.plant(path, "id = 'planted'\n" + ADDON)
        spec = importlib.util.spec_from_file_location("twin", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.assertEqual(module.id, "planted")
