import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import webPush from "web-push";
import { z } from "zod";

const secretsSchema = z.object({
  jwtSecret: z.string().min(32),
  adminPassword: z.string().min(6),
});

/** Secrets of servers that run without settings for them. */
export const readOrMakeSecrets = (folder: string) =>
  readOrMake(join(folder, "secrets.json"), secretsSchema, () => ({
    jwtSecret: randomBytes(48).toString("base64url"),
    adminPassword: randomBytes(12).toString("base64url"),
  }));

const vapidKeysSchema = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Keys of web push (VAPID). A file of its own, as those of former versions have only the secrets. */
export const readOrMakeVapidKeys = (folder: string) =>
  // Not by `generateKeyPairSync`: Node.js 20 can hang if it collects garbage while such a key is exported.
  readOrMake(join(folder, "vapid-keys.json"), vapidKeysSchema, webPush.generateVAPIDKeys);

/**
 * Reads the secrets in `file`, or creates them. Several services may do so at once: the file appears completely, and
 * the first one wins.
 */
function readOrMake<Secrets>(
  file: string,
  schema: z.ZodType<Secrets>,
  make: () => Secrets,
): Secrets {
  if (!existsSync(file)) store(file, make());
  return schema.parse(JSON.parse(readFileSync(file, "utf8")));
}

function store(file: string, secrets: unknown): void {
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
