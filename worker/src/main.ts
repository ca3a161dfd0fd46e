import { createServices, runWorker } from "./start-worker.ts";

await runWorker(createServices);
