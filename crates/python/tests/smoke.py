"""A few questions without any other package: for Pythons on which no test runner is installed."""

import os
import pathlib
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "cli" / "src" / "verbs" / "demo" / "sample"

with tempfile.TemporaryDirectory() as home:
    os.environ["HOME"] = home
    folder = pathlib.Path(home, ".pi", "agent", "sessions", "--home-ana-projects-weather--")
    folder.mkdir(parents=True)
    for name in ("forecast", "wind"):
        (folder / f"2026-03-0{len(name) % 4}T00-00-00-000Z_{name}.jsonl").write_bytes(
            (SAMPLE / f"{name}.jsonl").read_bytes()
        )
    import pitree

    sessions = pitree.list(scope="all")
    assert len(sessions) == 2, sessions
    session = pitree.open(sessions[0]["path"])
    assert len(session) == len(session.entries()) > 5
    assert session.context()["messages"] and session.tree()["rows"]
    assert session.append("more")["ids"]
    assert list(pitree.iter_samples(no_redact=True))
    assert pitree.table("entries").__arrow_c_stream__()
    try:
        pitree.open("nothing-like-that")
    except pitree.SessionNotFound as error:
        assert error.hint
    print(f"passed on Python {sys.version.split()[0]}")
