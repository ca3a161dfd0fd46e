import { posix } from "node:path";

/** What the files that match `files` must not import: files of the project by their path, packages by their name. */
interface Boundary {
  files: RegExp;
  mustNotImport: RegExp;
  because: string;
}

const TESTS = /\.test\.tsx?$|\.suite\.ts$|\/testing\//;

/** Tests keep these as well. */
const EVERYWHERE: readonly Boundary[] = [
  {
    files: /^(client|server|shared|scripts|e2e)\/|^worker\/src\/(?!market-data\/|analysis\/)/,
    mustNotImport: /^(ccxt|openai)(\/|$)/,
    because:
      "Only worker/src/market-data/ccxt talks to ccxt, and only worker/src/analysis/openai to openai.",
  },
  {
    files: /^(server|worker|shared)\//,
    mustNotImport: /^client\//,
    because: "Nothing but the browser runs the client.",
  },
  {
    files: /^shared\/(contract|outcomes)\//,
    mustNotImport: /^(server|worker)\//,
    because: "Shared code does not import the packages that use it.",
  },
  {
    files: /^e2e\//,
    mustNotImport: /^(server|worker|client)\//,
    because: "Browser tests use the product, not its code.",
  },
];

const IN_PRODUCTION: readonly Boundary[] = [
  {
    files: /^worker\/src\/(?!market-data\/ccxt\/|analysis\/openai\/)/,
    mustNotImport: /^(ccxt|openai)(\/|$)/,
    because:
      "Only worker/src/market-data/ccxt talks to ccxt, and only worker/src/analysis/openai to openai.",
  },
  {
    files: /^client\/src\//,
    mustNotImport: /^(server|worker)\/|^shared\/(?!contract\/|outcomes\/)/,
    because: "The client knows the contract only.",
  },
  {
    files: /^client\/src\//,
    mustNotImport:
      /^node:|^(koa|@koa|mongodb|mongoose|agenda|@agendajs|socket\.io|pino)(\/|$)|^koa-/,
    because: "This package belongs to the server side.",
  },
  {
    files: /^client\/src\/(features|domain|ui|lib)\//,
    mustNotImport: /^client\/src\/app\//,
    because: "The app puts features together; they do not know it.",
  },
  {
    files: /^client\/src\/domain\//,
    mustNotImport: /^client\/src\/features\//,
    because: "The domain does not know the features.",
  },
  {
    files: /^client\/src\/(ui|lib)\//,
    mustNotImport: /^client\/src\/(features|domain)\//,
    because: "ui and lib know neither the features nor the domain.",
  },
  {
    files: /^server\//,
    mustNotImport: /^worker\//,
    because: "The server does not reach into the worker.",
  },
  {
    files: /^worker\//,
    mustNotImport: /^server\//,
    because: "The worker does not reach into the server.",
  },
  {
    files: /^server\/src\/(http\/|server-deps\.ts$)/,
    mustNotImport: /^server\/src\/modules\//,
    because: "http and the common dependencies serve every module and know none.",
  },
  {
    files: /^shared\/(database|domain|outbox|runtime|work)\//,
    mustNotImport: /^(server|worker)\//,
    because: "Shared code does not import the packages that use it.",
  },
  {
    files: /^shared\/(contract|outcomes)\//,
    mustNotImport:
      /^(?!zod$|zod\/mini$|canonicalize$|@noble\/|shared\/contract\/)(?!shared\/outcomes\/)/,
    because:
      "Browsers run it as well: zod, canonicalize, @noble/hashes, the contract and its own files only.",
  },
  {
    files: /^shared\/(work|outbox|database|runtime)\//,
    mustNotImport: /^shared\/domain\//,
    because: "Rules stand above work items, the outbox, the database and the process.",
  },
  {
    files: /^shared\/(outbox|database|runtime)\//,
    mustNotImport: /^shared\/work\//,
    because: "Work items stand above the outbox.",
  },
  {
    files: /^shared\/(database|runtime)\//,
    mustNotImport: /^shared\/outbox\//,
    because: "The outbox stands above the database.",
  },
  {
    files: /^shared\/runtime\//,
    mustNotImport: /^shared\/database\//,
    because: "Settings, logger and errors need no database.",
  },
  {
    files: /^worker\/src\/(analysis|market-data)\//,
    mustNotImport: /^worker\/src\/(jobs|analyst-bench|delivery|signals|outcomes|record)\//,
    because: "An analysis does not know who asked for it.",
  },
  {
    files: /^worker\/src\/market-data\//,
    mustNotImport: /^worker\/src\/analysis\//,
    because: "Market data does not know what it is for.",
  },
  {
    files: /^shared\/contract\//,
    mustNotImport: /^shared\/outcomes\//,
    because: "Outcomes are resolved by the contract, not the reverse.",
  },
  {
    files: /^(server|worker|shared)\//,
    mustNotImport: /^shared\/testing\//,
    because: "shared/testing is for tests only.",
  },
];

const FEATURE = /^client\/src\/features\/([^/]+)\//;
const FEATURES_KNOW_SIGNALS =
  "Features import signals, but no other feature: what two of them share goes to domain.";

/** Why a file must not import this, as written in it; null if it may. */
export function violationOf(file: string, specifier: string): string | null {
  const target = resolveImport(file, specifier);
  const isTest = TESTS.test(file);
  const boundaries = isTest ? EVERYWHERE : [...EVERYWHERE, ...IN_PRODUCTION];
  const broken = boundaries.find(
    ({ files, mustNotImport }) => files.test(file) && mustNotImport.test(target),
  );
  if (broken) return broken.because;
  const [, from] = FEATURE.exec(file) ?? [];
  const [, to] = FEATURE.exec(target) ?? [];
  const isOther = from !== undefined && to !== undefined && to !== from && to !== "signals";
  return isOther && !isTest ? FEATURES_KNOW_SIGNALS : null;
}

/** A file of the project by its path from the root, a package by its name. */
export function resolveImport(file: string, specifier: string): string {
  if (specifier.startsWith("@shared/")) return specifier.slice(1);
  if (!specifier.startsWith(".")) return specifier;
  return posix.join(posix.dirname(file), specifier);
}

const IMPORT = /^(?:import|export) (?:[^;"=()]* from )?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;

/** What a formatted file imports, also its types and what it loads later. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, fixed, loaded]) => fixed ?? loaded ?? []);
}
