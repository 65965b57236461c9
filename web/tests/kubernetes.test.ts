// Checks the manifest of examples/clusters with the types of Kubernetes. Misspelt, missing and
// mistyped fields are errors of the compiler.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";

const web = fileURLToPath(new URL("..", import.meta.url));
const manifest = fileURLToPath(new URL("../../examples/clusters/kubernetes.yaml", import.meta.url));

/** The compiler's errors for each job, or none if it is valid. */
async function complaints(jobs: unknown[]): Promise<string[]> {
  const folder = await mkdtemp(`${web}node_modules/.job-`);
  try {
    const lines = jobs.map((job, i) => `export const job${i}: Job = ${JSON.stringify(job)};`);
    const source = ['import type { Job } from "kubernetes-types/batch/v1";', ...lines].join("\n");
    await writeFile(`${folder}/job.ts`, source);
    const compiler = ["node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--ignoreConfig"];
    const run = promisify(execFile)(
      process.execPath,
      [...compiler, "--skipLibCheck", "--moduleResolution", "bundler", "--module", "ESNext"].concat(
        `${folder}/job.ts`,
      ),
      { cwd: web },
    );
    const said = await run.then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
    return jobs.map((_, i) =>
      said
        .split("\n")
        .filter((line) => line.includes(`job.ts(${i + 2},`))
        .join("\n"),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("the manifest is a job of Kubernetes", { timeout: 60_000 }, async () => {
  const text = await readFile(manifest, "utf8");
  const changed = (from: string, to: string) => {
    expect(text).toContain(from);
    return parse(text.replace(from, to));
  };
  const [sound, misspelt, mistyped, missing] = await complaints([
    parse(text),
    changed("backoffLimitPerIndex", "backofLimitPerIndex"),
    changed("completions: 100", 'completions: "100"'),
    changed("mountPath: /runs", "readOnly: false"),
  ]);
  expect(sound).toBe("");
  expect(misspelt).toContain("backofLimitPerIndex");
  expect(mistyped).toContain("'string' is not assignable to type 'number'");
  expect(missing).toContain("mountPath");
});
