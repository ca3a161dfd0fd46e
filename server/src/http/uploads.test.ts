import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Uploads } from "./uploads.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uploads-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const newRequest = () => new IncomingMessage(new Socket());
const refusal = (uploads: Uploads, user: string) =>
  uploads
    .admit(user, () => Promise.resolve())
    .then(
      () => undefined,
      (error: unknown) => error,
    );

describe("an upload that waits", () => {
  it("is stored in a file that has no name, so that nothing is left of it in any case", async () => {
    const uploads = new Uploads(folder);
    const stored = await uploads.store(newRequest(), Readable.from([Buffer.from("chart")]));
    expect(readdirSync(folder)).toEqual([]);
    expect(Buffer.from(await stored.read()).toString()).toBe("chart");
    await stored.close();
    await expect(stored.read()).rejects.toThrow();
  });

  it("leaves nothing if its sender hangs up", async () => {
    const broken = new PassThrough();
    // Multer listens too.
    broken.on("error", () => undefined);
    broken.write("half a ch");
    const storing = new Uploads(folder).store(newRequest(), broken);
    broken.destroy(new Error("hung up"));
    await expect(storing).rejects.toThrow("hung up");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is stored a piece at a time, with time for others in between", async () => {
    const uploads = new Uploads(folder);
    const pieces = Array.from({ length: 10 }, () => Buffer.alloc(65_536));
    const storing = Array.from({ length: 30 }, () =>
      uploads.store(newRequest(), Readable.from(pieces)),
    );
    let turnsOfOthers = 0;
    let isDone = false;
    const countTurn = () => {
      turnsOfOthers += 1;
      if (!isDone) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const stored = await Promise.all(storing);
    isDone = true;
    expect(turnsOfOthers).toBeGreaterThanOrEqual(stored.length * pieces.length);
    await Promise.all(stored.map((file) => file.close()));
  });

  it("is abandoned once its sender has hung up", async () => {
    const request = newRequest();
    const stored = await new Uploads(folder).store(request, Readable.from([]));
    expect(stored.isAbandoned()).toBe(false);
    request.socket.destroy();
    expect(stored.isAbandoned()).toBe(true);
    await stored.close();
  });
});

describe("too many uploads", () => {
  it("of one user are refused with 429, and of all users with 503 unless it is their first, until some have ended", async () => {
    const uploads = new Uploads(folder);
    const ends: (() => void)[] = [];
    const fill = (user: string) =>
      Array.from({ length: 50 }, () =>
        uploads.admit(user, () => new Promise<void>((resolve) => ends.push(resolve))),
      );
    const running = fill("ann");
    expect(await refusal(uploads, "ann")).toMatchObject({ status: 429, retryAfterSeconds: 10 });
    expect(await refusal(uploads, "bob")).toBeUndefined();
    running.push(...Array.from({ length: 9 }, (_, index) => `flood ${index}`).flatMap(fill));
    expect(await refusal(uploads, "bob")).toBeUndefined();
    running.push(uploads.admit("eve", () => new Promise<void>((resolve) => ends.push(resolve))));
    expect(await refusal(uploads, "eve")).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    for (const end of ends) end();
    await Promise.all(running);
    expect(await refusal(uploads, "ann")).toBeUndefined();
  });
});
