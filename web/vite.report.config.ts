import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const digest = (text: string) =>
  `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** One file with the script and styles inside, allowed by their digests, and nothing from other hosts. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["report.html"];
      if (page?.type !== "asset") throw new Error("no report.html");
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else throw new Error(`${name}: a report is one file`);
        delete bundle[name];
      }
      // The parser ends a script at this text in any position.
      script = script.replaceAll("</script", "<\\/script");
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(style)}`,
        "img-src data: 'self' file:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/, "")
        .replace(
          '<meta charset="utf-8" />',
          () =>
            `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        )
        .replace("</head>", () => `<style>${style}</style>\n  </head>`)
        .replace("</body>", () => `<script>${script}</script>\n  </body>`);
      if (html.includes("/assets/")) throw new Error("report.html asks for another file");
      page.source = html;
    },
  };
}

// Writes into the same folder as the pages of the server. vite.config.ts empties it first.
export default defineConfig({
  plugins: [oneFile()],
  build: {
    outDir: process.env["ASSAY_WEB_OUT"] ?? "built",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    copyPublicDir: false,
    rollupOptions: {
      input: { report: fileURLToPath(new URL("report.html", import.meta.url)) },
      output: { format: "iife" },
    },
  },
});
