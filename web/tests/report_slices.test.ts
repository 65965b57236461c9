import { describe, expect, it } from "vitest";
import { clusteredResult, slicesDocument, slicesResult } from "../mock/report/slices.ts";
import { sections } from "../src/report/registry.ts";
import { headline, method, overview, slicedModels } from "../src/report/sections/slices/found.ts";
import { misshapen } from "../src/report/shapes.ts";

const [plain, resnet, net, small] = slicedModels(slicesDocument);
if (plain === undefined || resnet === undefined || net === undefined || small === undefined)
  throw new Error("models are missing");

describe("slices", () => {
  it("say first what was found, and name the lowest accuracy", () => {
    expect(headline(resnet)).toBe(
      "resnet50 is less accurate on 6 slices of val than on the other images. " +
        "The lowest is camera c and brightness 0.02 to 0.19: 55.0 % (95 % CI 47.5 – 62.5), against 90.0 % (95 % CI 87.8 – 92.2) on the others.",
    );
    expect(headline(net)).toContain("net is less accurate on 1 slice of scans");
    expect(headline(plain)).toContain("No slice of val was found on which plain is less accurate");
    expect(headline(small)).toContain("No slice of scans is large enough to test for small");
  });

  it("count the models that have some", () => {
    expect(overview([plain, resnet])).toBe("Slices were found for 1 of 2 models.");
    expect(overview([plain, small])).toBe("No slice was found for any of the 2 models.");
    expect(overview([resnet])).toBe("");
  });

  it("say how they were tested, and what the images would add", () => {
    const said = method(resnet).join(" ");
    expect(said).toContain(
      "490 slices were tested on one half of the images (1,012), and the 6 selected ones again",
    );
    expect(said).toContain("two values at once, of camera, ");
    const { entry, result } = plain;
    const none = method({ entry: { ...entry, selected: 0 }, result }).join(" ");
    expect(none).toContain("none was selected there");
    expect(said).not.toContain("assay slices RUNS");
    const clustered = method(net).join(" ");
    expect(clustered).toContain("Images with one patient are in one half");
    expect(clustered).toContain("12 slices could not be tested");
    expect(clustered).toContain("`assay slices RUNS --json -o slices.json`");
  });

  it("are a section of reports that have them, before disagreement", () => {
    const ids = sections.map(({ id }) => id);
    expect(ids.indexOf("slices")).toBe(ids.indexOf("classes") + 1);
    const section = sections.find(({ id }) => id === "slices");
    expect(section?.applies(slicesDocument)).toBe(true);
    expect(section?.applies({ ...slicesDocument, results: [] })).toBe(false);
    expect(misshapen({ ...slicesResult })).toBeUndefined();
    expect(misshapen({ ...clusteredResult, models: undefined })).toBe("models");
  });
});
