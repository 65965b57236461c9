"""Writes fixtures/parquet/{pyarrow,polars,duckdb2}_*.parquet with these tools. To make them again:

    pip install pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1
    python make_parquet_fixtures.py fixtures/parquet

Images and labels are those of make_parquet_fixtures.mjs. Image i has 20 + 13 i mod 37 bytes, in which byte j is
(31 i + 7 j + i j) mod 256. Row i has no image if i mod 11 is 5. Its label is 7 i mod 10, or none if i mod 13 is 4.
"""
import datetime
import decimal
import json
import pathlib
import sys

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

folder = pathlib.Path(sys.argv[1])
ROWS = 40


def image(i):
    return None if i % 11 == 5 else bytes((31 * i + 7 * j + i * j) % 256 for j in range(20 + 13 * i % 37))


def label(i):
    return None if i % 13 == 4 else 7 * i % 10


names = [f"class {c}" for c in range(10)]
huggingface = json.dumps({"info": {"features": {"image": {"_type": "Image"},
                                                "label": {"names": names, "_type": "ClassLabel"}}}})
rows = range(ROWS)
images = pa.array([{"bytes": image(i), "path": f"img_{i}.png"} for i in rows],
                  pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
usual = pa.table({"image": images, "label": pa.array(map(label, rows), pa.int64())})
usual = usual.replace_schema_metadata({"huggingface": huggingface})


def pyarrow_file(name, table, **options):
    # The metadata of the schema are omitted, because they make small files twice as large.
    options = {"store_schema": False, **options}
    pq.write_table(table, folder / f"pyarrow_{name}.parquet", **options)


for version in "1.0", "2.0":
    for codec in "none", "snappy", "gzip", "brotli", "zstd", "lz4":
        pyarrow_file(f"{codec}_v{version[0]}", usual, compression=codec, data_page_version=version,
                     write_page_checksum=codec == "lz4")
    for bytes_as in "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY":
        numbers_as = "DELTA_BINARY_PACKED" if bytes_as == "DELTA_BYTE_ARRAY" else "BYTE_STREAM_SPLIT"
        pyarrow_file(f"{bytes_as.lower()}_v{version[0]}", usual, data_page_version=version, use_dictionary=False,
                     column_encoding={"image.bytes": bytes_as, "image.path": "DELTA_BYTE_ARRAY", "label": numbers_as})
# The rows are in groups of 7, in pages of a few values.
pyarrow_file("groups", usual, row_group_size=7, data_page_size=100, compression="lz4", store_schema=True)

# The same label in all types. Types that cannot be labels come last.
value = [label(i) for i in rows]
known = {
    "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "uint8": pa.uint8(), "uint16": pa.uint16(),
    "uint32": pa.uint32(), "uint64": pa.uint64(), "float32": pa.float32(), "float64": pa.float64(),
    "float16": pa.float16(),
}
columns = {"image": images} | {name: pa.array(value, kind) for name, kind in known.items()}
columns |= {
    "not_a_number": pa.array([float("nan") if v is None else float(v) for v in value]),
    "decimal9": pa.array([None if v is None else decimal.Decimal(v) for v in value], pa.decimal128(9, 2)),
    "decimal30": pa.array([None if v is None else decimal.Decimal(v) for v in value], pa.decimal128(30, 4)),
    "boolean": pa.array([None if v is None else v >= 5 for v in value]),
    "text": pa.array([None if v is None else f"class {v}" for v in value]),
    "large_text": pa.array([None if v is None else f"class {v}" for v in value], pa.large_string()),
    "category": pa.array([None if v is None else f"class {v}" for v in value]).dictionary_encode(),
    "half": pa.array([None if v is None else v + 0.5 for v in value]),
    "half_decimal": pa.array([None if v is None else decimal.Decimal(v) / 4 for v in value], pa.decimal128(9, 2)),
    "huge": pa.array([2**64 - 1] * ROWS, pa.uint64()),
    "date": pa.array([datetime.date(2026, 11, 1)] * ROWS),
    "time": pa.array([datetime.time(1, 2, 3)] * ROWS),
    "timestamp": pa.array([datetime.datetime(2026, 11, 1)] * ROWS),
    "list": pa.array([[1, 2]] * ROWS),
}
types = pa.table(columns)
pyarrow_file("types", types, compression="zstd")
pyarrow_file("types_v2", types, compression="none", data_page_version="2.0", use_dictionary=False, column_encoding={
    "int8": "DELTA_BINARY_PACKED", "int16": "DELTA_BINARY_PACKED", "int32": "BYTE_STREAM_SPLIT",
    "uint64": "DELTA_BINARY_PACKED", "float32": "BYTE_STREAM_SPLIT", "float64": "BYTE_STREAM_SPLIT",
    "float16": "BYTE_STREAM_SPLIT", "decimal30": "BYTE_STREAM_SPLIT", "decimal9": "DELTA_BYTE_ARRAY",
    "boolean": "RLE", "text": "DELTA_BYTE_ARRAY", "large_text": "DELTA_LENGTH_BYTE_ARRAY"})

# The scores of three classes as pandas writes them, and the same with its index.
scores = pa.table({
    "filename": [f"{i}.png" for i in rows],
    "label": [("cat", "dog", "emu")[i % 3] for i in rows],
    "cat": pa.array([[0.5, 0.25, 0.125][i % 3] for i in rows], pa.float64()),
    "dog": pa.array([[0.25, 0.25, 0.125][i % 3] for i in rows], pa.float32()),
    "emu": pa.array([[0.25, 0.5, 0.75][i % 3] for i in rows], pa.float64()),
})
pyarrow_file("scores", scores, compression="brotli", data_page_version="2.0")

frame = polars.DataFrame({"img": [image(i) for i in rows], "label": [label(i) for i in rows],
                          "name": [None if label(i) is None else f"class {label(i)}" for i in rows]})
frame = frame.with_columns(polars.col("name").cast(polars.Categorical).alias("category"))
for codec in "lz4", "uncompressed", "snappy", "gzip", "brotli", "zstd":
    frame.write_parquet(folder / f"polars_{codec}.parquet", compression=codec)

duck = duckdb.connect()
duck.register("usual", pa.table({"bytes": [image(i) for i in rows], "label": [label(i) for i in rows], "i": list(rows)}))
for version in "v1", "v2":
    for codec in "uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw":
        target = folder / f"duckdb2_{codec}_{version}.parquet"
        duck.sql(f"""COPY (SELECT bytes AS image, label, label >= 5 AS half, label::DOUBLE AS real,
            'class ' || label AS name, label::DECIMAL(9, 2) AS price FROM usual ORDER BY i)
            TO '{target}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version})""")
