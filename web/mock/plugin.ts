// `npm run dev`: serves the pages with the study in memory. ASSAY_MOCK_TASK chooses the task.

import type { Plugin } from "vite";
import { ORGANISER } from "./organiser.ts";
import { MockServer } from "./server.ts";

export function mockPlugin(): Plugin {
  return {
    name: "assay-mock",
    apply: "serve",
    configureServer(vite) {
      const wanted = process.env["ASSAY_MOCK_TASK"];
      const task = wanted === "grid" || wanted === "labels" ? wanted : "yes-no";
      const cells = { "yes-no": 1, grid: 48, labels: 5 }[task];
      const mock = new MockServer({ task, cells, training: 3 });
      const person = mock.study.add("Ada Lovelace", "token-of-ada");
      vite.middlewares.use((request, response, next) => {
        if (request.url?.split("?")[0] === "/organiser") request.url = "/organiser.html";
        mock.handle(request, response).then((done) => (done ? undefined : next()), next);
      });
      vite.httpServer?.once("listening", () => {
        const links = `  /#${person.token}\n  /organiser#${ORGANISER}`;
        vite.config.logger.info(`The study in memory (${task}):\n${links}`);
      });
    },
  };
}
