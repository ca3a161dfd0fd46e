import { execFileSync } from "node:child_process";
import { plainImage, pngBomb, scanBomb } from "@shared/testing/images.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DecoderProcess } from "./decoder-process.ts";

const LIMITS = {
  maxPixels: 64_000_000,
  timeoutMs: 60_000,
  memoryKib: 330_000,
  images: 10,
  niceness: 0,
};
const slow = await scanBomb(6_000, 90);
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

/** Process ids of the decoders that this process runs. */
function decoderPids(): number[] {
  const all = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  return all
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === `${process.pid}` && /decode-images/.test(`${args}`))
    .map(([pid]) => Number(pid));
}

describe("a process that decodes images", () => {
  it("says that an image takes too long, and decodes the next one", async () => {
    const decoder = startDecoder({ timeoutMs: 500 });
    expect(await decoder.decode(slow, "image")).toEqual({ refusal: "too-costly" });
    expect(await decoder.decode(small, "image")).toMatchObject(DECODED);
  });

  it.runIf(process.platform === "linux")(
    "says that an image takes too much memory, and decodes the next one",
    async () => {
      const decoder = startDecoder({ memoryKib: 80_000 });
      expect(await decoder.decode(slow, "image")).toEqual({ refusal: "too-costly" });
      expect(await decoder.decode(small, "image")).toMatchObject(DECODED);
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
