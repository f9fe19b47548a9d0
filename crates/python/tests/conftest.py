"""The machine on which the tests run: Ana's, with the two sessions of `pitree demo`, one session
with odd content, and one file that is not a session."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

CRATES = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = CRATES / "cli" / "src" / "verbs" / "demo" / "sample"
CWD = "/home/ana/projects/weather"
FOLDER = "--home-ana-projects-weather--"

FILES = {
    "2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274.jsonl": "forecast.jsonl",
    "2026-03-03T08-02-51-940Z_019cb2b8-a7a4-7193-8d2f-64a8c05be91d.jsonl": "wind.jsonl",
}


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def header(id, **more):
    header = {"type": "session", "version": 3, "id": id, "timestamp": "2026-03-04T10:00:00.000Z"}
    return {**header, "cwd": CWD, **more}


def message(id, parent, role, text, **more):
    content = [{"type": "text", "text": text}]
    entry = {"type": "message", "id": id, "parentId": parent}
    entry["timestamp"] = "2026-03-04T10:00:01.000Z"
    return {**entry, "message": {"role": role, "content": content, "timestamp": 1772618401000, **more}}


class Store:
    """A home with sessions."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.sessions = self.home / ".pi" / "agent" / "sessions"
        self.project = self.sessions / FOLDER
        self.project.mkdir(parents=True)
        self.tmp = folder / "tmp"
        self.tmp.mkdir()
        for name, sample in FILES.items():
            self.add(name, (SAMPLE / sample).read_text())

    def add(self, name, text):
        path = self.project / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        # Long ago, so that what a cache knows of it is trusted.
        os.utime(path, (1_772_700_000, 1_772_700_000))
        return path

    @property
    def environment(self):
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(self.tmp),
        }

    def command(self, *words, input=None, check=True):
        """What the command answers to these words, with `--json`."""
        program = os.environ.get("PITREE_PROGRAM") or os.path.join(
            os.path.dirname(sys.executable), "pitree"
        )
        verb, *words = map(str, words)
        words = [program, verb, "--json", *words]
        ran = subprocess.run(
            words, env=self.environment, cwd=self.home, input=input or b"", capture_output=True
        )
        assert not check or ran.returncode in (0, 1), ran.stderr.decode()
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def python(self, code, *words, **more):
        """A Python of its own with this environment."""
        return subprocess.Popen(
            [sys.executable, "-c", code, *map(str, words)],
            env=self.environment,
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )


@pytest.fixture
def store(tmp_path, monkeypatch):
    store = Store(tmp_path)
    for name in list(os.environ):
        if name.startswith(("PI_", "XDG_", "PITREE_")) and name != "PITREE_PROGRAM":
            monkeypatch.delenv(name)
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(store.home)
    return store


@pytest.fixture
def forecast(store):
    return store.project / next(iter(FILES))
