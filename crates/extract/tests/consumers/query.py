"""Runs a query of DuckDB over the tables in a folder and prints its rows as JSON."""

import json
import os
import sys

import duckdb

os.chdir(sys.argv[1])
database = duckdb.connect()
database.execute("SET TimeZone = 'UTC'")
for name in os.listdir("."):
    table, ending = os.path.splitext(name)
    if ending == ".parquet":
        database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{name}'")
rows = database.execute(sys.stdin.read()).fetchall()
json.dump([list(row) for row in rows], sys.stdout, default=str)
