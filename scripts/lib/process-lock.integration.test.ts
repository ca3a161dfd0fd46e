import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { tryLock, withLock } from "./process-lock.mjs";

const MODULE = new URL("process-lock.mjs", import.meta.url).href;

/** Another process that takes the lock and keeps it until it is killed. */
async function otherHolder(name: string) {
  const script = `
    const { tryLock } = await import(${JSON.stringify(MODULE)});
    console.log((await tryLock(${JSON.stringify(name)})) ? "held" : "refused");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [answer] = await once(child.stdout, "data");
  return { child, answer: String(answer).trim() };
}

describe("a lock between processes", () => {
  it("is held by one process at a time, and given back when that one is killed", async () => {
    const name = randomUUID();
    const { child, answer } = await otherHolder(name);
    expect(answer).toBe("held");
    expect(await tryLock(name)).toBeUndefined();
    child.kill("SIGKILL");
    await once(child, "exit");
    const release = await tryLock(name);
    expect(release).toBeTypeOf("function");
    await release?.();
  });

  it("can be taken again after it was released", async () => {
    const name = randomUUID();
    const first = await tryLock(name);
    await first?.();
    const second = await tryLock(name);
    expect(second).toBeTypeOf("function");
    await second?.();
  });

  it("lets work wait for its turn", async () => {
    const name = randomUUID();
    const order: string[] = [];
    const work = (label: string) => async () => {
      order.push(`${label} in`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${label} out`);
    };
    await Promise.all(["a", "b"].map((label) => withLock(name, work(label), { pollMs: 5 })));
    expect(order).toEqual([
      order[0],
      order[0]?.replace("in", "out"),
      order[2],
      order[2]?.replace("in", "out"),
    ]);
  });

  it("is given back when the work fails", async () => {
    const name = randomUUID();
    const failing = withLock(name, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    const release = await tryLock(name);
    expect(release).toBeTypeOf("function");
    await release?.();
  });
});
