import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createLogger, openLogDestination } from "./logger.ts";

/** Every write to it fails with "no space left on device". */
const FULL_DISK = "/dev/full";
const WITHIN = { timeout: 5_000 };

describe("a log on a full disk", () => {
  const onRecovered = vi.fn();
  let folder: string;
  beforeEach(() => {
    onRecovered.mockReset();
    folder = mkdtempSync(join(tmpdir(), "log-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const openFull = async () => {
    const destination = openLogDestination({ target: FULL_DISK, onRecovered });
    const failed = once(destination, "error");
    const logger = pino(destination);
    logger.info("first");
    expect(await failed).toMatchObject([{ code: "ENOSPC" }]);
    return { destination, logger };
  };

  it("does not stop the process from logging or exiting", async () => {
    const { destination, logger } = await openFull();
    logger.info("second");
    destination.flushSync();
    expect(onRecovered).not.toHaveBeenCalled();
  });

  it("is continued, with the lines that waited, as soon as there is space", async () => {
    const { destination, logger } = await openFull();
    const file = join(folder, "log");
    destination.reopen(file);
    await vi.waitFor(() => expect(onRecovered).toHaveBeenCalledExactlyOnceWith(0), WITHIN);
    logger.info("second");
    destination.flushSync();
    const lines = readFileSync(file, "utf8");
    expect(lines).toContain('"first"');
    expect(lines).toContain('"second"');
  });

  it("keeps a bounded number of lines and reports how many were lost", async () => {
    const { destination, logger } = await openFull();
    const failed = once(destination, "error");
    for (let line = 0; line < 20; line += 1) logger.info("x".repeat(100_000));
    await failed;
    destination.reopen(join(folder, "log"));
    await vi.waitFor(() => expect(onRecovered).toHaveBeenCalledOnce(), WITHIN);
    expect(onRecovered.mock.calls[0]?.[0]).toBeGreaterThan(5);
  });
});

const lineSchema = z.object({ line: z.number() });

describe("a log", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "log-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = async () => {
    const file = join(folder, "log");
    const destination = openLogDestination({ target: file, onRecovered: vi.fn() });
    await once(destination, "ready");
    return { destination, logger: pino(destination), read: () => readFileSync(file, "utf8") };
  };

  it("has a line shortly after it was logged, even if no other follows", async () => {
    const { logger, read } = await open();
    logger.info("alone");
    expect(read()).toBe("");
    await vi.waitFor(() => expect(read()).toContain('"alone"'), WITHIN);
  });

  it("has all lines in order, also across flushes", async () => {
    const { destination, logger, read } = await open();
    for (let line = 0; line < 500; line += 1) {
      logger.info({ line }, "counted");
      if (line % 100 === 0) destination.flush();
    }
    destination.flushSync();
    const lines = read().trim().split("\n");
    const numbers = lines.map((line) => lineSchema.parse(JSON.parse(line)).line);
    expect(numbers).toEqual([...Array(500).keys()]);
  });

  it.each(["OANDA_TOKEN", "SMTP_URL", "MONGODB_URI", "authorization", "new_password"])(
    "does not show %s, wherever it stands",
    async (name) => {
      const { destination, read } = await open();
      const logger = createLogger({ service: "server", level: "info", destination });
      const fields = { [name]: "hush", open: "shown" };
      logger.info({ ...fields, settings: fields, call: { request: fields } }, "started");
      destination.flushSync();
      expect(read()).not.toContain("hush");
      expect(read().match(/shown/g)).toHaveLength(3);
    },
  );
});
