interface ModuleGraph {
  getModuleInfo(
    id: string,
  ): { importers: readonly string[]; dynamicImporters: readonly string[] } | null;
}

/**
 * Files of code that several screens need, and the module that decides what is in each: all that it imports. The first that
 * matches applies; the bundler splits what has no name. Without them, each set of screens that share code would get a file
 * of its own, seventy for the bot.
 */
const CHUNKS = [
  { name: null, neededBy: /features\/(public\/|payments\/pricing-page)/ },
  { name: "forms", neededBy: /features\/auth\/auth-page/ },
  { name: "signed-in", neededBy: /app\/signed-in/ },
  { name: "bot", neededBy: /features\/signals\/bot-page/ },
];

/** @returns the name of the file that a module belongs to, or null if the bundler chooses it */
export function chunkOf(id: string, graph: ModuleGraph): string | null {
  const entries = entriesOf(id, graph);
  const chunk = CHUNKS.find(({ neededBy }) => entries.some((entry) => neededBy.test(entry)));
  return chunk?.name ?? null;
}

/** The modules loaded with `import()` that import a module, directly or not. */
function entriesOf(id: string, graph: ModuleGraph): string[] {
  const importers = new Set([id]);
  for (const importer of importers) {
    for (const next of graph.getModuleInfo(importer)?.importers ?? []) importers.add(next);
  }
  return [...importers].filter(
    (importer) => graph.getModuleInfo(importer)?.dynamicImporters.length,
  );
}
