import { describe, expect, it } from "vitest";
import { takeToken } from "../src/shared/token";
import { MemoryStorage } from "./memory_storage";

function take(hash: string, storages: Storage[]): { token: string; forgotten: string[] } {
  const forgotten: string[] = [];
  const place = { hash, pathname: "/" };
  const token = takeToken(place, (path) => forgotten.push(path), storages, "t");
  return { token, forgotten };
}

describe("takeToken", () => {
  it("takes it from the address, which forgets it, and keeps it", () => {
    const [tab, local] = [new MemoryStorage(), new MemoryStorage()];
    expect(take("#abcdefgh1234", [tab, local])).toEqual({
      token: "abcdefgh1234",
      forgotten: ["/"],
    });
    expect(take("", [new MemoryStorage(), local])).toEqual({
      token: "abcdefgh1234",
      forgotten: [],
    });
  });
  it("prefers the address to storage, and the tab's storage to the browser's", () => {
    const [tab, local] = [new MemoryStorage(), new MemoryStorage()];
    tab.setItem("t", "token-of-tab");
    local.setItem("t", "token-of-browser");
    expect(take("", [tab, local]).token).toBe("token-of-tab");
    expect(take("#token-of-link", [tab, local]).token).toBe("token-of-link");
    expect(local.getItem("t")).toBe("token-of-link");
  });
  it("forgets what is no token, and goes on with the stored one", () => {
    const local = new MemoryStorage();
    local.setItem("t", "token-stored");
    expect(take("#<script>", [local])).toEqual({ token: "token-stored", forgotten: ["/"] });
  });
  it("works without storage", () => {
    expect(take("", []).token).toBe("");
    expect(take("#abcdefgh1234", [MemoryStorage.full()]).token).toBe("abcdefgh1234");
  });
});
