// The columns of `assay export`, read by other programs: DuckDB and hyparquet for Parquet, Apache's
// own library for Arrow. The expected values are the lines of `--jsonl`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ASSAY } from "./study";

type Row = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), "assay-export-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

// The second store has more rows than a row group. There are items without labels, with several,
// and with scores that are not finite.
const ROWS = 66_000;
const classes = ["cat", 'sea "lion", grey', "犬"];
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const id = (i: number) => (i % 50 === 3 ? `folder ${i}/ü "${i}".png` : `i${i}.png`);

/// The exit status is 3 if items have no scores.
function partial(...args: string[]): void {
  const run = () => execFileSync(ASSAY, args, { stdio: "pipe" });
  expect(run).toThrow(expect.objectContaining({ status: 3 }));
}
const exported = (file: string, ...args: string[]) => partial("export", ...args, "-o", at(file));

function store(name: string, rows: number): void {
  const scores = [["path", ...classes].map(quoted).join(",")];
  const items = ["path,labels"];
  for (let i = 0; i < rows; ++i) {
    const own = [Math.sin(i), Math.cos(3 * i), ((i * 7) % 11) / 5].map((x) => x.toFixed(6));
    if (i % 101 === 5) own[1] = "nan";
    if (i % 97 === 9) own[2] = "-inf";
    scores.push([quoted(id(i)), ...own].join(","));
    const labels = i % 31 === 0 ? [] : i % 29 === 0 ? [0, 2] : [i % 3];
    items.push(`${quoted(id(i))},${labels.join(" ")}`);
  }
  writeFileSync(at("scores.csv"), `${scores.join("\n")}\n`);
  writeFileSync(at("items.csv"), `${items.join("\n")}\n`);
  writeFileSync(at("classes.txt"), `${classes.join("\n")}\n`);
  const given = ["--items", at("items.csv"), "--dataset-name", name, "--name", "m"];
  partial("import", at("scores.csv"), ...given, "--kind", "logits", "--out", at("runs"), "-q");
}

/// A line in the form of columns: numbers as floats of their size, all labels, an infinite loss.
function columns(line: Row): Row {
  const row = { ...line };
  const label = line["label"];
  const labels = label === null ? [] : String(label).split(" ").map(Number);
  row["labels"] = labels;
  row["label"] = labels.length === 1 ? labels[0] : null;
  for (const [name, value] of Object.entries(line)) {
    if (typeof value !== "number" || name === "loss") continue;
    if (/confidence|margin|probability/.test(name)) row[name] = Math.fround(value);
  }
  if (line["label_probability"] === 0) row["loss"] = Number.POSITIVE_INFINITY;
  return row;
}

let expected: Row[] = [];
beforeAll(() => {
  store("few", 40);
  store("many", ROWS);
  exported("a.jsonl", at("runs"), "--jsonl", "--top", "2");
  expected = readFileSync(at("a.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((x) => columns(JSON.parse(x)));
  for (const ending of ["parquet", "arrow"]) {
    exported(`a.${ending}`, at("runs"), `--${ending}`, "--top", "2");
    exported(`s.${ending}`, at("runs/few"), `--${ending}`, "--top", "0", "--scores");
  }
});

const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

function compare(rows: Row[]): void {
  expect(rows.length).toBe(40 + ROWS);
  const names = Object.keys(expected[0] as Row);
  let different = 0;
  for (const [i, row] of rows.entries()) {
    const wanted = expected[i] as Row;
    const same = names.every((name) => {
      const found = row[name] ?? null;
      const list = Array.isArray(wanted[name]);
      return list
        ? JSON.stringify(Array.from(found as Iterable<unknown>, plain)) ===
            JSON.stringify(wanted[name])
        : Object.is(plain(found), wanted[name]);
    });
    if (!same && ++different === 1) expect(row).toEqual(wanted);
  }
  expect(different).toBe(0);
}

test("the lines have what the columns are held against", () => {
  const some = (test: (row: Row) => boolean) => expect(expected.some(test)).toBe(true);
  some((row) => row["status"] === "not_finite" && row["confidence"] === null);
  some((row) => (row["labels"] as number[]).length === 2);
  some((row) => (row["labels"] as number[]).length === 0 && row["correct"] === null);
  some((row) => row["loss"] === Number.POSITIVE_INFINITY);
  some((row) => row["predicted_name"] === "犬");
});

test("hyparquet reads every value", async () => {
  const bytes = readFileSync(at("a.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  compare((await parquetReadObjects({ file, compressors })) as Row[]);
});

test("Apache Arrow reads every value", () => {
  const table = tableFromIPC(readFileSync(at("a.arrow")));
  const columnsOf = table.schema.fields.map(
    (field) => [field.name, table.getChild(field.name)] as const,
  );
  const rows = Array.from({ length: table.numRows }, (_, i) =>
    Object.fromEntries(columnsOf.map(([name, column]) => [name, column?.get(i)])),
  );
  compare(rows);
});

test("DuckDB finds the same sums, ranges and types", async () => {
  const db = await (await DuckDBInstance.create(":memory:")).connect();
  const query = async (sql: string) => (await db.runAndReadAll(sql)).getRowObjectsJson();
  const from = `from '${at("a.parquet")}'`;
  const count = (test: (row: Row) => boolean) => String(expected.filter(test).length);
  expect(
    await query(
      `select count(*) n, count(label) labels, count(*) filter (correct) correct, count(distinct id) ids,
       sum(len(labels)) all_labels, count(*) filter (isinf(loss)) infinite, max(predicted) most,
       count(*) filter (status = 'not_finite') lost ${from}`,
    ),
  ).toEqual([
    {
      n: count(() => true),
      labels: count((row) => row["label"] !== null),
      correct: count((row) => row["correct"] === true),
      ids: String(new Set(expected.map((row) => row["id"])).size),
      all_labels: String(
        expected.reduce((sum, row) => sum + (row["labels"] as number[]).length, 0),
      ),
      infinite: count((row) => row["loss"] === Number.POSITIVE_INFINITY),
      most: 2,
      lost: count((row) => row["status"] === "not_finite"),
    },
  ]);
  // Compares the ranges of the row groups, by which the reader skips groups.
  const sure = expected.filter((row) => (row["confidence"] as number) > 0.6).length;
  expect(await query(`select count(*) n ${from} where confidence > 0.6`)).toEqual([
    { n: String(sure) },
  ]);
  const ranges = await query(
    `select max(stats_max_value::double) high, sum(stats_null_count) absent, count(*) pieces
     from parquet_metadata('${at("a.parquet")}') where path_in_schema = 'confidence'`,
  );
  const known = expected.map((row) => row["confidence"] as number | null).filter((x) => x !== null);
  expect(Math.fround(ranges[0]?.["high"] as number)).toBe(known.reduce((a, b) => Math.max(a, b)));
  expect(ranges[0]?.["absent"]).toBe(String(expected.length - known.length));
  expect(Number(ranges[0]?.["pieces"])).toBeGreaterThan(1);
  const types = await query(`describe select * ${from}`);
  const type = Object.fromEntries(types.map((row) => [row["column_name"], row["column_type"]]));
  expect(type).toMatchObject({
    id: "VARCHAR",
    label: "INTEGER",
    labels: "INTEGER[]",
    correct: "BOOLEAN",
  });
  expect(type).toMatchObject({ confidence: "FLOAT", loss: "DOUBLE", top2_probability: "FLOAT" });
});

test("all scores of an item are one list, and an item without scores has none", async () => {
  const lines = readFileSync(at("a.jsonl"), "utf8")
    .split("\n")
    .slice(0, 40)
    .map((x) => JSON.parse(x) as Row);
  const bytes = readFileSync(at("s.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const parquet = (await parquetReadObjects({ file, compressors })) as Row[];
  const arrow = tableFromIPC(readFileSync(at("s.arrow"))).getChild("logits");
  for (const [i, line] of lines.entries()) {
    const ok = line["status"] === "ok";
    const written = [Math.sin(i), Math.cos(3 * i), i % 97 === 9 ? -Infinity : ((i * 7) % 11) / 5];
    const wanted = ok ? written.map((x) => Math.fround(Number(x.toFixed(6)))) : null;
    expect(parquet[i]?.["logits"] ?? null).toEqual(wanted);
    const found = arrow?.get(i) as Iterable<number> | null | undefined;
    expect(found ? Array.from(found) : null).toEqual(wanted);
  }
});
