"""The score store: the rows of every run as immutable Parquet files in the object store, read through DuckDB."""
