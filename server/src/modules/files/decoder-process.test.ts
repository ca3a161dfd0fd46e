import { execFileSync } from "node:child_process";
import { plainImage, pngBomb } from "@shared/testing/images.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DecoderProcess } from "./decoder-process.ts";

const LIMITS = {
  maxPixels: 64_000_000,
  cpuMs: 60_000,
  timeoutMs: 60_000,
  memoryKib: 330_000,
  images: 10,
  niceness: 0,
};
/** Takes seconds on any machine. */
const slow = pngBomb(8_000, 8_000, { depth: 16, samples: 4 });
const screen = pngBomb(3_840, 2_160, { depth: 8, samples: 3 });
const small = await plainImage().png().toBuffer();

const DECODED = { result: { image: { contentType: "image/png" } } };

const decoders: DecoderProcess[] = [];
function startDecoder(limits: Partial<typeof LIMITS> = {}): DecoderProcess {
  const decoder = new DecoderProcess({ ...LIMITS, ...limits });
  decoders.push(decoder);
  return decoder;
}
afterEach(() => {
  for (const decoder of decoders.splice(0)) decoder.stop();
});

/** Decoders of test files that ran before in this process. */
const earlierPids = new Set(runningDecoders());

/** Process ids of the decoders that these tests run. */
const decoderPids = (): number[] => runningDecoders().filter((pid) => !earlierPids.has(pid));

function runningDecoders(): number[] {
  const all = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  return all
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === `${process.pid}` && /decode-images/.test(`${args}`))
    .map(([pid]) => Number(pid));
}

describe("a process that decodes images", () => {
  it.each([
    ["of the processor", { cpuMs: 100 }],
    ["altogether", { timeoutMs: 500 }],
  ])("says that an image takes too much time %s, and decodes the next one", async (_, limit) => {
    const decoder = startDecoder(limit);
    expect(await decoder.decode(slow, "image")).toEqual({ refusal: "too-costly" });
    expect(await decoder.decode(small, "image")).toMatchObject(DECODED);
  });

  it.runIf(process.platform === "linux")(
    "has its time of the processor also while others have that",
    async () => {
      const cpuMs = 200;
      const decoder = startDecoder({ cpuMs });
      await decoder.decode(small, "image");
      const [pid = 0] = decoderPids();
      process.kill(pid, "SIGSTOP");
      const startedMs = performance.now();
      const outcome = decoder.decode(small, "image");
      await vi.waitUntil(() => performance.now() - startedMs > 2 * cpuMs);
      process.kill(pid, "SIGCONT");
      expect(await outcome).toMatchObject(DECODED);
    },
  );

  it.runIf(process.platform === "linux")(
    "says that an image takes too much memory, and decodes the next one",
    async () => {
      const decoder = startDecoder({ memoryKib: 80_000 });
      expect(await decoder.decode(slow, "image")).toEqual({ refusal: "too-costly" });
      expect(await decoder.decode(small, "image")).toMatchObject(DECODED);
    },
  );

  it.runIf(process.platform === "linux")(
    "goes on after images that take too much memory, so that no user waits for a new one",
    async () => {
      const decoder = startDecoder({ memoryKib: 76_000, images: 50 });
      await decoder.decode(small, "image");
      const before = decoderPids();
      for (let image = 0; image < 10; image += 1) {
        expect(await decoder.decode(slow, "image")).toEqual({ refusal: "too-costly" });
      }
      expect(await decoder.decode(screen, "image-and-raster")).toMatchObject(DECODED);
      expect(decoderPids()).toEqual(before);
    },
  );

  it("says that it was killed, and decodes the next one", async () => {
    const decoder = startDecoder();
    const outcome = decoder.decode(slow, "image");
    await vi.waitUntil(() => decoderPids().length > 0, { timeout: 10_000 });
    for (const pid of decoderPids()) process.kill(pid, "SIGKILL");
    expect(await outcome).toEqual({ refusal: "killed" });
    expect(await decoder.decode(small, "image")).toMatchObject(DECODED);
  });

  it("gets no settings of the server", async () => {
    vi.stubEnv("JWT_SECRET", "a secret of the server");
    const decoder = startDecoder();
    await decoder.decode(pngBomb(10), "image");
    const [pid = 0] = decoderPids();
    const environment = execFileSync("ps", ["eww", "-p", String(pid)], { encoding: "utf8" });
    expect(environment).toContain("UV_THREADPOOL_SIZE");
    expect(environment).not.toContain("JWT_SECRET");
    vi.unstubAllEnvs();
  });
});
