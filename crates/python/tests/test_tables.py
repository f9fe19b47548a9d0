"""Tables get into pyarrow, polars and DuckDB, and are those of `extract --format parquet`."""

import decimal

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import header, lines

import pitree

NAMES = ["sessions", "entries", "tool_calls", "redactions", "spend"]


@pytest.fixture
def files(store, tmp_path):
    key = tmp_path / "key"
    pitree.extract(tmp_path / "tables", format="parquet", key=key)
    return {"folder": tmp_path / "tables", "key": key}


def rows(table):
    """The rows of a table as plain values, with JSON as text."""
    return pyarrow.table(table).to_pylist()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_that_of_the_files(files, name):
    expected = pyarrow.parquet.read_table(files["folder"] / f"{name}.parquet")
    mine = pyarrow.table(pitree.table(name, key=files["key"]))
    assert mine.column_names == expected.column_names
    assert mine.num_rows == expected.num_rows
    assert mine.num_rows or name == "redactions"
    # The kinds of the columns are the same, however a file names them.
    assert rows(mine) == rows(expected.cast(mine.schema))


def test_columns_are_described(store):
    for name in NAMES:
        table = pitree.table(name)
        columns = pitree.table_columns(name)
        assert table.column_names == [column for column, _, _ in columns]
        assert all(about for _, _, about in columns)
        assert table.name == name and name in repr(table)


def test_readers_take_tables(store):
    entries = pitree.table("entries", no_redact=True)
    count = sum(len(pitree.open(session["id"])) for session in pitree.list(scope="all"))
    assert pyarrow.table(entries).num_rows == count
    assert polars.DataFrame(entries).height == count
    assert duckdb.sql("SELECT count(*) FROM entries").fetchall() == [(count,)]
    reader = pyarrow.RecordBatchReader.from_stream(entries)
    assert sum(batch.num_rows for batch in reader) == count
    assert pyarrow.schema(entries) == pyarrow.table(entries).schema


def test_spend_adds_up_to_the_cost(store):
    total = pyarrow.compute.sum(pyarrow.table(pitree.table("spend"))["cost_usd"]).as_py()
    assert isinstance(total, decimal.Decimal)
    assert float(total) == pytest.approx(pitree.cost()["total"]["cost"], abs=1e-9)
    spend = pitree.table("spend")
    sums = "SELECT provider || '/' || model, sum(cost_usd) FROM spend GROUP BY ALL"
    by_model = {model: float(cost) for model, cost in duckdb.sql(sums).fetchall()}
    assert spend.name == "spend"
    assert by_model == pytest.approx({row["key"]: row["cost"] for row in pitree.cost(by="model")["rows"]})


def test_filters_and_empty_tables(store):
    wind = pyarrow.table(pitree.table("sessions", name="wind"))
    assert wind.num_rows == 1
    none = pyarrow.table(pitree.table("entries", name="nothing-like-that"))
    assert none.num_rows == 0 and none.column_names == pitree.table("entries").column_names


@pytest.mark.parametrize("read", [pyarrow.table, polars.DataFrame], ids=["pyarrow", "polars"])
def test_files_that_are_skipped_are_logged(store, caplog, read):
    store.add("other.jsonl", "this is not a session\n")
    # Of a table without rows and of one with rows.
    for name in ("sessions", "redactions"):
        caplog.clear()
        read(pitree.table(name, no_redact=True))
        warnings = [it.getMessage() for it in caplog.records if it.levelname == "WARNING"]
        assert any("other.jsonl" in warning for warning in warnings), warnings


def test_rows_that_are_not_taken(store):
    reader = pyarrow.RecordBatchReader.from_stream(pitree.table("entries"))
    del reader
    capsule = pitree.table("entries").__arrow_c_stream__()
    del capsule


def test_many_batches(store):
    entry = {"type": "custom", "customType": "x", "timestamp": "2026-03-04T10:00:01.000Z"}
    entries = [
        {**entry, "id": f"{n:08}", "parentId": f"{n - 1:08}" if n else None, "data": n}
        for n in range(20_000)
    ]
    store.add("many.jsonl", lines(header("many"), *entries))
    reader = pyarrow.RecordBatchReader.from_stream(pitree.table("entries", sessions=["many"]))
    batches = list(reader)
    assert len(batches) > 1
    assert pyarrow.Table.from_batches(batches)["seq"].to_pylist() == list(range(20_000))


def test_tables_and_samples_join_without_a_key(store):
    entries, sessions, spend = map(pitree.table, ("entries", "sessions", "spend"))
    count = duckdb.sql("SELECT count(*) FROM entries").fetchall()
    by_file = "SELECT count(*) FROM entries JOIN sessions USING (file_id)"
    assert duckdb.sql(by_file).fetchall() == count != [(0,)]
    spent = duckdb.sql("SELECT count(*) FROM spend").fetchall()
    by_file = "SELECT count(*) FROM spend JOIN sessions USING (file_id)"
    assert duckdb.sql(by_file).fetchall() == spent != [(0,)]


PRINT_IDS = """
import pitree, pyarrow
print(sorted(pyarrow.table(pitree.table("sessions"))["file_id"].to_pylist()))
"""


def test_the_key_of_a_process_is_forgotten_with_it(store):
    one, other = [store.python(PRINT_IDS).communicate()[0] for _ in range(2)]
    assert one and other and one != other
