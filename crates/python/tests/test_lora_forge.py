"""lora_forge's extractor gives the same by the package as by the command."""

import importlib.util
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "extras" / "lora_forge" / "data" / "extract" / "pir_sessions.py"


@pytest.fixture
def pir(store, monkeypatch):
    spec = importlib.util.spec_from_file_location("pir_sessions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "pir_sessions", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def program():
    ours = os.path.join(os.path.dirname(sys.executable), "pitree")
    return os.environ.get("PITREE_PROGRAM") or ours


def test_by_package_as_by_command(store, forecast, pir, program, monkeypatch, tmp_path):
    assert pir.pitree is not None
    odd = store.add("odd.jsonl", "not a session\n")
    for options in ({"redact": False}, {"key": tmp_path / "key"}, {"redact": False, "tool_text": "none"}):
        by_package = pir.extract_session(forecast, **options)
        assert by_package.turns and pir.extract_session(odd, **options) is None
        with monkeypatch.context() as patch:
            patch.setenv("PITREE", program)
            assert pir.extract_session(forecast, **options) == by_package
            assert pir.extract_session(odd, **options) is None
    with pytest.raises(FileNotFoundError):
        pir.extract_session(store.home / "gone.jsonl")
    with pytest.raises(pir.ExtractionError):
        pir.extract_session(forecast, tool_text="nonsense", redact=False)
