import { readdir, readFile } from "node:fs/promises";

/** The built pages of Agendash, which load nothing from elsewhere. */
const FOLDER = new URL("../../../node_modules/agendash/public/", import.meta.url);
const ASSETS = new URL("assets/", FOLDER);

/** What is ours: it leaves out what this queue has no use for. */
const OWN_STYLE = "queue.css";

/** The page itself; its scripts and styles are `./assets/...` beside it. */
export async function readPage(): Promise<string> {
  const page = await readFile(new URL("index.html", FOLDER), "utf8");
  return page.replace("</head>", `<link rel="stylesheet" href="./assets/${OWN_STYLE}"></head>`);
}

/** A script or style of the page; null where it has none of this name. */
export async function readAsset(name: string): Promise<Buffer | null> {
  if (name === OWN_STYLE) return readFile(new URL(OWN_STYLE, import.meta.url));
  const names = await readdir(ASSETS);
  return names.includes(name) ? readFile(new URL(name, ASSETS)) : null;
}

/** Agendash names its files after their content; ours may change any time. */
export const isKeptForEver = (name: string): boolean => name !== OWN_STYLE;
