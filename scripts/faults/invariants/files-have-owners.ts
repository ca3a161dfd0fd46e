import { cleanUpFiles } from "@shared/node/files/clean-up-files.ts";
import { FILE_KINDS, type FileKind } from "@shared/node/files/file-kinds.ts";
import type { Stage } from "../stage/stage.ts";

/** The nightly cleanup leaves bytes alone that are younger than an hour. */
const LATER_MS = 2 * 3_600_000;

/**
 * Every picture that a document tells of has its bytes and its signal. Bytes without a document, which a death in the
 * middle of an upload leaves, are gone after the product's own cleanup, run as if two hours had passed.
 */
export async function filesHaveOwners(stage: Stage): Promise<string[]> {
  const { database } = stage;
  await cleanUpFiles({ database, now: () => new Date(Date.now() + LATER_MS) });
  const images = await database.chartImages.find().lean();
  const signals = await database.signals.distinct("_id");
  const known = new Set(signals.map(String));
  const faults = images
    .filter(({ signalId }) => !known.has(signalId.toString()))
    .map(({ filename }) => `the chart image ${filename} belongs to no signal`);
  for (const kind of FILE_KINDS) faults.push(...(await byteFaults(stage, kind)));
  return faults;
}

async function byteFaults({ database }: Stage, kind: FileKind): Promise<string[]> {
  const idsIn = async (collection: string, key = "_id") =>
    (await database.connection.collection(collection).distinct(key)).map(String);
  const ids = await idsIn(kind === "chart_uploads" ? "chart_images" : "payment_proofs");
  const files = await idsIn(`${kind}.files`);
  const chunks = await idsIn(`${kind}.chunks`, "files_id");
  const missing = (from: string[], of: string[]) => of.filter((id) => !from.includes(id));
  return [
    ...missing(files, ids).map((id) => `the ${kind} file ${id} has no bytes`),
    ...missing(chunks, ids).map((id) => `the ${kind} file ${id} has no chunks`),
    ...missing(ids, files).map((id) => `the bytes ${id} in ${kind} are nobody's`),
    ...missing(ids, chunks).map((id) => `the chunks of ${id} in ${kind} are nobody's`),
  ];
}
