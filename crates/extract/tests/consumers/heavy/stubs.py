"""Modules that are not installed, as empty ones, so that the code beside them can be run."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

sys.path.insert(0, str(Path(__file__).parent.parent))


class Anything(type):
    """A class of which every member is such a class, so that it can stand in annotations."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name, (), {})


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = MagicMock(name=name) if name.islower() else Anything(name, (), {})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def stub(*names):
    """Makes these modules, and all below them, empty ones."""
    import datasets  # noqa: F401  must not see a torch
    import transformers  # noqa: F401

    sys.meta_path.insert(0, Finder(set(names)))


def bare_packages(*names):
    """Makes these packages without running what stands in their own file."""
    for name in names:
        package = types.ModuleType(name)
        if "." in name:
            parent, _, last = name.rpartition(".")
            package.__path__ = [f"{folder}/{last}" for folder in sys.modules[parent].__path__]
        else:
            spec = importlib.util.find_spec(name)
            package.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = package
