import { describe, expect, it } from "vitest";
import { copied } from "../src/report/table/copy.ts";
import { ordered } from "../src/report/table/order.ts";

describe("the order of a table", () => {
  const rows = [{ v: 2 }, { v: null }, { v: 10 }, { v: 2, second: true }];
  const value = (row: { v: number | null }) => row.v;

  it("has rows without a value last in both directions, and equal ones as they were", () => {
    expect(ordered(rows, value, false).map(({ v }) => v)).toEqual([2, 2, 10, null]);
    expect(ordered(rows, value, true).map(({ v }) => v)).toEqual([10, 2, 2, null]);
    expect(ordered(rows, value, true)[2]).toBe(rows[3]);
  });

  it("has numbers within names in their order", () => {
    const names = ["resnet101", "resnet18", "ResNet50"];
    expect(ordered(names, (name) => name, false)).toEqual(["resnet18", "ResNet50", "resnet101"]);
  });
});

describe("a copied table", () => {
  const table = {
    columns: [
      { name: "model", numbers: false },
      { name: "top_1, %", numbers: true },
    ],
    rows: [
      ['=cmd("x")\n|a_b', "-76.1 ±0.4"],
      ["plain", ""],
    ],
  };

  it("is csv that no spreadsheet runs", () => {
    expect(copied(table, "csv")).toBe(
      'model,"top_1, %"\n"\'=cmd(""x"")\n|a_b",-76.1 ±0.4\nplain,\n',
    );
  });

  it("is Markdown with one line a row", () => {
    expect(copied(table, "markdown")).toBe(
      '| model | top\\_1, % |\n| --- | ---: |\n| =cmd("x") \\|a\\_b | -76.1 ±0.4 |\n| plain |  |\n',
    );
  });

  it("is LaTeX with booktabs' rules", () => {
    expect(copied(table, "latex")).toBe(
      [
        "\\begin{tabular}{lr}",
        "\\toprule",
        "model & top\\_1, \\% \\\\",
        "\\midrule",
        '=cmd("x") |a\\_b & -76.1 $\\pm$0.4 \\\\',
        "plain &  \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "",
      ].join("\n"),
    );
  });
});
