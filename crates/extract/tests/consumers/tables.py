"""Adds up the tables in a folder with DuckDB, and looks at their types and at every JSON in them."""

import json
import os
import sys

import duckdb

TABLES = ["sessions", "entries", "tool_calls", "samples", "redactions", "spend"]
SUM = """count(*), coalesce(sum(cost_usd), 0)::DECIMAL(38, 12)::VARCHAR,
         count(*) FILTER (cost_usd IS NULL),
         [sum(tok_in), sum(tok_out), sum(tok_cache_read), sum(tok_cache_write)]::BIGINT[]"""

os.chdir(sys.argv[1])
database = duckdb.connect()
database.execute("SET TimeZone = 'UTC'")


def rows(query):
    return [list(row) for row in database.execute(query).fetchall()]


def sums(key):
    found = rows(f"SELECT coalesce({key}, ''), {SUM} FROM 'spend.parquet' GROUP BY ALL")
    return {row[0]: row[1:] for row in found}


def bad_json(table, column, kind):
    value = f"unnest({column})" if kind.endswith("[]") else column
    query = f"SELECT count(*) FROM (SELECT {value}::VARCHAR AS v FROM '{table}.parquet')"
    [[bad]] = rows(f"{query} WHERE v IS NOT NULL AND NOT json_valid(v)")
    return [[table, column, bad]] if bad else []


columns = {
    table: [row[:2] for row in rows(f"DESCRIBE SELECT * FROM '{table}.parquet'")]
    for table in TABLES
}
answer = {
    "columns": columns,
    "bad_json": [
        fault
        for table, listed in columns.items()
        for column, kind in listed
        if kind.startswith("JSON")
        for fault in bad_json(table, column, kind)
    ],
    "spend": {
        "total": rows(f"SELECT {SUM} FROM 'spend.parquet'")[0],
        "parts": sums("part"),
        "days": sums("strftime(ts, '%Y-%m-%d')"),
        "models": sums("coalesce(provider || '/' || model, provider, model)"),
        "sessions": sums("session_id"),
    },
    "counted": rows(
        """SELECT count(*) FILTER (counted),
                  (sum(cost_total) FILTER (counted))::DECIMAL(38, 12)::VARCHAR
           FROM 'entries.parquet'"""
    )[0],
    "copies": rows("SELECT count(*) FROM 'entries.parquet' WHERE NOT counted")[0][0],
    "sessions_cost": rows(
        "SELECT sum(counted_cost_usd)::DECIMAL(38, 12)::VARCHAR FROM 'sessions.parquet'"
    )[0][0],
}
json.dump(answer, sys.stdout, default=str)
