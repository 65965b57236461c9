import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { mockPlugin } from "./mock/plugin.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Names without digests and code without a polyfill: the server embeds the files, sets their cache
// time, and allows no inline script.
export default defineConfig({
  plugins: [mockPlugin()],
  build: {
    outDir: process.env["ASSAY_WEB_OUT"] ?? "built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: here("index.html"), organiser: here("organiser.html") },
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/shared.js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "pages",
          include: ["e2e/*.test.ts", "e2e/report/*.test.ts"],
          testTimeout: 60_000,
          // A browser on a busy machine may be late once.
          retry: 1,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "served",
          include: ["e2e/served/*.test.ts"],
          testTimeout: 60_000,
          // A browser on a busy machine may be late once.
          retry: 1,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: "pictures", include: ["pictures/*.pictures.ts"], testTimeout: 60_000 },
      },
      { extends: true, test: { name: "speed", include: ["e2e/served/*.speed.ts"] } },
    ],
  },
});
