import { collectDefaultMetrics, Registry } from "prom-client";

/** A register of figures for one process, with those of Node in it: memory, event loop lag, garbage collection. */
export function createRegistry(part: "server" | "worker"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ part });
  collectDefaultMetrics({ register: registry });
  return registry;
}
