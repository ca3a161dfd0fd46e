import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

const TEN_MINUTES_MS = 600_000;

describe("the clock of the database, as a process knows it,", () => {
  const clocks: DatabaseClock[] = [];
  afterEach(() => {
    for (const clock of clocks.splice(0)) clock.stop();
    vi.useRealTimers();
  });

  /** A database that is `aheadMs` ahead of the monotonic clock of the process. Both stand still between steps. */
  const startWorld = async ({ aheadMs = Date.parse("2026-11-20T12:00:00Z"), delayMs = 0 } = {}) => {
    const world = {
      monotonicMs: 1_000,
      aheadMs,
      requestMs: delayMs,
      replyMs: delayMs,
      isDown: false,
    };
    const source = {
      monotonicMs: () => world.monotonicMs,
      readTime: async () => {
        if (world.isDown) throw new Error("no database");
        world.monotonicMs += world.requestMs;
        const time = new Date(world.monotonicMs + world.aheadMs);
        world.monotonicMs += world.replyMs;
        return time;
      },
    };
    const clock = await DatabaseClock.start(source);
    clocks.push(clock);
    const errorMs = () => clock.now().getTime() - (world.monotonicMs + world.aheadMs);
    return { world, source, clock, errorMs };
  };

  it("shows the database's time whatever the clock of the machine says", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T12:10:00Z") });
    const { world, errorMs } = await startWorld();
    expect(errorMs()).toBeCloseTo(0, 0);
    vi.setSystemTime(Date.now() - 2 * TEN_MINUTES_MS);
    world.monotonicMs += 5_000;
    expect(errorMs()).toBeCloseTo(0, 0);
  });

  it("is off by less than the round trip, and less after a quicker one", async () => {
    const { world, clock, errorMs } = await startWorld({ delayMs: 400 });
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
    Object.assign(world, { requestMs: 0, replyMs: 900 });
    const late = await DatabaseClock.start({
      monotonicMs: () => world.monotonicMs,
      readTime: async () => {
        const time = new Date(world.monotonicMs + world.aheadMs);
        world.monotonicMs += world.replyMs;
        return time;
      },
    });
    clocks.push(late);
    const lateErrorMs = () => late.now().getTime() - (world.monotonicMs + world.aheadMs);
    expect(Math.abs(lateErrorMs())).toBeGreaterThan(100);
    expect(Math.abs(lateErrorMs())).toBeLessThanOrEqual(451);
    world.replyMs = 2;
    await late.measure();
    expect(Math.abs(lateErrorMs())).toBeLessThanOrEqual(3);
    await clock.measure();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(3);
  });

  it("does not become worse by a reply that comes late", async () => {
    const { world, clock, errorMs } = await startWorld();
    Object.assign(world, { requestMs: 0, replyMs: 20_000 });
    await clock.measure();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
  });

  it("follows another primary whose clock differs, and a system that slept", async () => {
    const { world, clock, errorMs } = await startWorld();
    world.aheadMs += 3_000;
    await clock.measure();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
    world.aheadMs -= TEN_MINUTES_MS;
    await clock.measure();
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
  });

  it("goes on while the database cannot be reached, and measures by itself afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { world, errorMs } = await startWorld();
    Object.assign(world, { isDown: true, monotonicMs: world.monotonicMs + 60_000 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
    Object.assign(world, { isDown: false, aheadMs: world.aheadMs + 5_000 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
  });
});
