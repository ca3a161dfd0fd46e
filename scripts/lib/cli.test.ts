import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listenForStop } from "./cli.ts";

let seconds = 0;
let events = new EventEmitter();

beforeEach(() => {
  vi.stubEnv("npm_lifecycle_event", "");
  vi.useFakeTimers();
  seconds = 0;
  events = new EventEmitter();
});
afterEach(() => {
  vi.useRealTimers();
});

function listen(): AbortSignal {
  return listenForStop(() => {
    seconds += 1;
  }, events);
}

describe("stopping a command", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"])("is possible with %s", (name) => {
    const signal = listen();
    expect(signal.aborted).toBe(false);
    events.emit(name);
    expect(signal.aborted).toBe(true);
  });

  it("counts once when the terminal and npm both pass on the same Ctrl-C", () => {
    listen();
    events.emit("SIGINT");
    vi.advanceTimersByTime(300);
    events.emit("SIGINT");
    expect(seconds).toBe(0);
  });

  it("counts twice with a later Ctrl-C", () => {
    listen();
    events.emit("SIGINT");
    vi.advanceTimersByTime(1_500);
    events.emit("SIGINT");
    expect(seconds).toBe(1);
  });
});
