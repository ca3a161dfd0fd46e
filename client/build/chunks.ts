interface ModuleGraph {
  getModuleInfo(
    id: string,
  ): { importers: readonly string[]; dynamicImporters: readonly string[] } | null;
}

const VISITORS = /features\/(public\/|payments\/pricing-page)/;
const MEMBERS = /app\/signed-in|features\/bot\/bot-page/;

interface Chunk {
  name: string | null;
  /** Each matches one of the modules loaded with `import()` that need the code. */
  neededBy: RegExp[];
  modules?: RegExp;
}

/**
 * Files of code that several screens need, and the screens that decide what is in each: all that they import. The first that
 * matches applies; the bundler splits what has no name. Without them, each set of screens that share code would get a file
 * of its own, seventy for the bot.
 */
const CHUNKS: Chunk[] = [
  { name: null, neededBy: [], modules: /lucide-react/ },
  { name: null, neededBy: [VISITORS], modules: /\/zod\/|\/lib\/(api\/|public-api)/ },
  { name: "forms", neededBy: [/features\/auth\/auth-page/], modules: /\/(use)?[mM]utation/ },
  { name: "common", neededBy: [VISITORS, MEMBERS] },
  { name: null, neededBy: [VISITORS] },
  { name: "forms", neededBy: [/features\/auth\/auth-page/] },
  { name: "schemas", neededBy: [/app\/signed-in/], modules: /\/zod\/|\/shared\// },
  { name: "signed-in", neededBy: [/app\/signed-in/] },
  { name: "bot", neededBy: [/features\/bot\/bot-page/] },
  { name: "admin", neededBy: [/app\/navbar-waiting-count/] },
];

/** @returns the name of the file that a module belongs to, or null if the bundler chooses it */
export function chunkOf(id: string, graph: ModuleGraph): string | null {
  const screens = entriesOf(id, graph);
  const chunk = CHUNKS.find(
    ({ neededBy, modules }) =>
      (!modules || modules.test(id)) &&
      neededBy.every((needing) => screens.some((screen) => needing.test(screen))),
  );
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
