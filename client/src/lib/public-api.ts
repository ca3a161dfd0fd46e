import { apiOrigin } from "./env.ts";

const TIMEOUT_MS = 10_000;

interface PublicRequest<Reply> {
  path: string;
  schema: { parse(body: unknown): Reply };
  signal: AbortSignal;
}

/** Reads from the API without a session. Much smaller than the API client, for the first load of visitors. */
export async function readPublic<Reply>(request: PublicRequest<Reply>): Promise<Reply> {
  const { path, schema, signal } = request;
  const signals = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(`${apiOrigin}${path}`, { signal: signals });
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}`);
  return schema.parse(await response.json());
}
