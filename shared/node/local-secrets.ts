import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const secretsSchema = z.object({
  jwtSecret: z.string().min(32),
  adminPassword: z.string().min(6),
});

/** Secrets that a machine made for itself, outside production. */
export type LocalSecrets = z.infer<typeof secretsSchema>;

/**
 * Reads the secrets kept in `file`, making them once if there are none.
 * Server, worker and launcher may call this at the same moment: the file appears whole, and the first one wins.
 */
export function readOrMakeSecrets(file: string): LocalSecrets {
  if (!existsSync(file)) makeSecrets(file);
  return secretsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}

function makeSecrets(file: string): void {
  const secrets: LocalSecrets = {
    jwtSecret: randomBytes(48).toString("base64url"),
    adminPassword: randomBytes(12).toString("base64url"),
  };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    const lostRace = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!lostRace) throw error;
  } finally {
    rmSync(draft);
  }
}
