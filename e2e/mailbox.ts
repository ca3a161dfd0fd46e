import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "playwright/test";
import { stage } from "./stage.ts";

/** Where the product of these tests writes its mails. */
const OUTBOX = `${stage.dataDir}/outbox`;

/** A mail's text as it was written: soft line breaks joined, quoted characters restored. */
const decoded = (mail: string): string =>
  mail
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );

async function linksTo(address: string, path: string): Promise<string[]> {
  const names = await readdir(OUTBOX);
  const mails = await Promise.all(names.sort().map((name) => readFile(join(OUTBOX, name), "utf8")));
  return mails
    .filter((mail) => mail.includes(`To: ${address}`))
    .flatMap((mail) => decoded(mail).match(new RegExp(`${path}\\?token=[\\w-]+`))?.[0] ?? []);
}

/** Waits for the `count`th mail to `address` with a link to `path`; gives the link, from its path on. */
export async function mailedLink(
  address: string,
  { path, count = 1 }: { path: string; count?: number },
): Promise<string> {
  const links = async () => (await linksTo(address, path)).length;
  await expect.poll(links).toBeGreaterThanOrEqual(count);
  return (await linksTo(address, path))[count - 1] ?? "";
}
