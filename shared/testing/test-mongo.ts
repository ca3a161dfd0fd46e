import { randomUUID } from "node:crypto";
import { inject } from "vitest";

/** The longest database name that MongoDB takes is 63 bytes; the rest is for the unique part. */
const LONGEST_NAME = 24;

/**
 * Address of a database of its own on the run's replica set: each call gives a new, empty one.
 * @param name a hint for who looks at the server; letters, digits and hyphens are kept
 */
export function testDatabaseUri(name = "test"): string {
  const hint = name.replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, LONGEST_NAME);
  const uri = new URL(inject("mongoUri"));
  uri.pathname = `/${hint}-${randomUUID()}`;
  return uri.href;
}
