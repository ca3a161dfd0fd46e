import { signFileUrl } from "@shared/node/files/signed-url.ts";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";

/** Makes a file's bare path into an address that its reader can open for 10 minutes. */
export type SignPath = (path: string) => string;

/** The signing of this server's files; the address is absolute. */
export function createSignPath(deps: {
  settings: Pick<ServerDeps["settings"], "JWT_SECRET" | "VITE_API_URL">;
  now: ServerDeps["now"];
}): SignPath {
  const { JWT_SECRET: secret, VITE_API_URL: apiUrl } = deps.settings;
  return (path) => signFileUrl({ path, secret, apiUrl, now: deps.now() });
}

/** `entry` with an address that can be opened in the place of the bare path. */
export function withSignedUrl<Entry extends { url: string }>(
  entry: Entry,
  signPath: SignPath,
): Entry {
  return { ...entry, url: signPath(entry.url) };
}

const fileSchema = z.looseObject({ url: z.string() });
const cardSchema = z.looseObject({ payment_proof: fileSchema });

/**
 * The data of an event as it is delivered. The log holds bare paths, since an address that is good for 10 minutes would
 * be stale by the time a browser that was away reads the event.
 */
export function signEventFiles(
  event: { name: string; data: unknown },
  signPath: SignPath,
): unknown {
  const { name, data } = event;
  if (name === "proof:submitted" || name.startsWith("chart-image:")) {
    return withSignedUrl(fileSchema.parse(data), signPath);
  }
  if (!name.startsWith("user:")) return data;
  const card = cardSchema.safeParse(data).data;
  return card ? { ...card, payment_proof: withSignedUrl(card.payment_proof, signPath) } : data;
}
