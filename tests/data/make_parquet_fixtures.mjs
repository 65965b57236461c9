// Writes fixtures/parquet/*.parquet with DuckDB and hyparquet-writer, which are independent writers. To make them again, in any
// folder: npm install @duckdb/node-api@1.5.6-r.1 hyparquet-writer@0.17.0, then run this script there with node, with the
// folder of the fixtures as its argument.
//
// Image i has 20 + 13 i mod 37 bytes, of which byte j is (31 i + 7 j + i j) mod 256. Row i has no image if i mod 11 is 5. Its
// label is 7 i mod 10, or missing if i mod 13 is 4. parquet_files_test.cpp computes them again.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.cwd(), 'x.js'))
const { DuckDBInstance } = require('@duckdb/node-api')
const { parquetWriteFile } = await import(pathToFileURL(join(process.cwd(), 'node_modules/hyparquet-writer/src/node.js')))
const folder = process.argv[2]

const image = i => Uint8Array.from({ length: 20 + (13 * i) % 37 }, (_, j) => (31 * i + 7 * j + i * j) % 256)
const has_image = i => i % 11 !== 5
const has_label = i => i % 13 !== 4
const label = i => (7 * i) % 10
const rows = n => Array.from({ length: n }, (_, i) => i)

const names = rows(10).map(c => `class ${c}`)
const huggingface = JSON.stringify({
  info: { features: { image: { _type: 'Image' }, label: { names, _type: 'ClassLabel' } } },
})

const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
const sql = text => duckdb.run(text)
const blob = bytes => `from_hex('${Buffer.from(bytes).toString('hex')}')`
const values = (n, of) => rows(n).map(i => `(${i}, ${has_image(i) ? blob(of(i)) : 'NULL'}, ${has_label(i) ? label(i) : 'NULL'})`)

await sql(`CREATE TABLE rows AS SELECT * FROM (VALUES ${values(120, image).join(',')}) t(i, bytes, label)`)
await sql(`CREATE TABLE repeated AS SELECT * FROM (VALUES ${values(120, i => image(i % 6)).join(',')}) t(i, bytes, label)`)

const usual = `{'bytes': bytes, 'path': 'img_' || i || '.png'} AS image, label::BIGINT AS label`
const copy = (name, select, options) =>
  sql(`COPY (SELECT ${select} ORDER BY i) TO '${join(folder, name)}.parquet' (FORMAT parquet, ${options})`)
const kv = `KV_METADATA {huggingface: '${huggingface}'}`

for (const codec of ['uncompressed', 'snappy', 'zstd', 'gzip'])
  await copy(`duckdb_${codec}`, `${usual} FROM rows`, `COMPRESSION ${codec}, ${kv}`)
await copy('duckdb_dictionary', `${usual} FROM repeated`, `COMPRESSION snappy, ${kv}`)
// There are many row groups. DuckDB's smallest group has 2048 rows. Image i is the two bytes of i mod 1000.
await copy('duckdb_row_groups', `from_hex(printf('%04x', i % 1000)) AS image, (i % 10)::INTEGER AS label FROM range(5000) t(i)`,
  'COMPRESSION zstd, ROW_GROUP_SIZE 2048')
await copy('duckdb_texts', `bytes AS img, 'name ' || (label % 3) AS labels FROM rows WHERE i < 20`, 'COMPRESSION snappy')
// x
await copy('duckdb_delta', `${usual} FROM rows WHERE i < 40`, 'COMPRESSION snappy, PARQUET_VERSION V2')
for (const codec of ['brotli', 'lz4_raw'])
  await copy(`duckdb_${codec}`, `${usual} FROM rows WHERE i < 40`, `COMPRESSION ${codec}`)
await copy('duckdb_lists', `[bytes] AS image, [label] AS label FROM rows WHERE i < 20`, 'COMPRESSION snappy')
await sql(`SET force_mbedtls_unsafe = 'true'`)
await sql(`PRAGMA add_parquet_key('key', '0123456789abcdef')`)
await copy('duckdb_encrypted', `${usual} FROM rows WHERE i < 20`, `COMPRESSION snappy, ENCRYPTION_CONFIG {footer_key: 'key'}`)

// Pages of version 2, several in a row group, with levels next to the packed values.
const n = 120
parquetWriteFile({
  filename: join(folder, 'hyparquet_v2.parquet'),
  columnData: [
    { name: 'name', data: rows(n).map(i => `row ${i}`), type: 'STRING' },
    { name: 'img', data: rows(n).map(i => (has_image(i) ? image(i) : undefined)), type: 'BYTE_ARRAY' },
    { name: 'fine_label', data: rows(n).map(i => (has_label(i) ? label(i) : undefined)), type: 'INT32' },
  ],
  rowGroupSize: 50,
  pageSize: 400,
  kvMetadata: [{ key: 'other', value: 'x' }],
})
parquetWriteFile({
  filename: join(folder, 'hyparquet_required.parquet'),
  columnData: [
    { name: 'picture', data: rows(n).map(i => image(i % 6)), type: 'BYTE_ARRAY', nullable: false },
    { name: 'kind', data: rows(n).map(i => BigInt(label(i))), type: 'INT64', nullable: false },
  ],
  codec: 'UNCOMPRESSED',
})
