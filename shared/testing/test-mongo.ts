import { randomUUID } from "node:crypto";
import { inject } from "vitest";

/** A database name has at most 63 bytes, including the unique part. */
const MAX_HINT_LENGTH = 24;

/**
 * Address of a new, empty database on the replica set of the run.
 * @param name a hint for debugging; letters, digits and hyphens are kept
 */
export function testDatabaseUri(name = "test"): string {
  const hint = name.replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, MAX_HINT_LENGTH);
  const uri = new URL(inject("mongoUri"));
  uri.pathname = `/${hint}-${randomUUID()}`;
  return uri.href;
}
