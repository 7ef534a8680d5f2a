"""Imports the HTTP layer of an engine without its heavy parts.

Modules under the given roots are replaced by stubs, except those named as real. A stub has whatever attribute is asked for: a class for
a name such as `Req`, an exception for one such as `ReqError`, and a mock for the rest.
"""

import importlib.abc
import importlib.machinery
import sys
import types
from unittest.mock import MagicMock


def _keep(self, *_, **fields):
    self.__dict__.update(fields)


class _Stub(types.ModuleType):
    __path__ = []
    __all__ = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        is_class = name[:1].isupper() and not name.isupper()
        if is_class and name.endswith(("Error", "Exception")):
            value = type(name, (Exception,), {})
        elif is_class:
            value = type(name, (), {"__init__": _keep, "__class_getitem__": classmethod(lambda cls, _: cls)})
        else:
            value = MagicMock(name=f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, roots, real):
        self.roots, self.real = roots, real

    def find_spec(self, name, path, target=None):
        if name in self.real or name.split(".")[0] not in self.roots:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Stub(spec.name)

    def exec_module(self, module):
        pass


def install(folder, roots, real):
    """Makes `real` importable from `folder`, and stubs of every other module under `roots`."""
    parents = {".".join(name.split(".")[:n]) for name in real for n in range(1, name.count(".") + 1)}
    sys.meta_path.insert(0, _Finder(set(roots), set(real) | parents))
    for name in sorted(parents - set(real)):
        package = _Stub(name)
        package.__path__ = [f"{folder}/{name.replace('.', '/')}"]
        sys.modules[name] = package
        # A package that is imported as an attribute of its parent is the same one.
        if "." in name:
            parent, _, child = name.rpartition(".")
            setattr(sys.modules[parent], child, package)
