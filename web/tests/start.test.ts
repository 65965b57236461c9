import { describe, expect, it } from "vitest";
import { ownerOf } from "../src/annotate/start";
import type { Welcome } from "../src/shared/api";

const WELCOME: Welcome = {
  ...{ version: 1, study: "b1d5", title: "T", name: "Ada", task: "yes-no", ahead: 3 },
  ...{ training: 0, training_done: 0, paused: false },
};

describe("ownerOf", () => {
  it("tells studies of one title apart, and people of one study", () => {
    const others = [
      WELCOME,
      { ...WELCOME, study: "other" },
      { ...WELCOME, name: "Grace" },
      { ...WELCOME, title: "U" },
    ];
    const owners = others.map(ownerOf);
    expect(new Set(owners.slice(0, 3)).size).toBe(3);
    expect(owners[3]).toBe(owners[0]);
  });

  it("is nobody where the server is of another version", () => {
    const { study: _, ...without } = WELCOME;
    const replies = [without, { ...WELCOME, study: "" }, { ...WELCOME, version: 2 }];
    expect(replies.map((reply) => ownerOf(reply as Welcome))).toEqual([null, null, null]);
  });
});
