import { describe, expect, it } from "vitest";
import { readableLine } from "./supervised-service.ts";

const entry = (fields: object) =>
  JSON.stringify({ level: 30, time: "2026-01-01T00:00:00Z", service: "server", pid: 1, ...fields });

describe("the output of a service in the terminal", () => {
  it("shows a log entry as its message and its own fields", () => {
    expect(readableLine(entry({ msg: "request", path: "/me", status: 200 }))).toBe(
      "request path=/me status=200",
    );
  });

  it("says when an entry is a warning or an error", () => {
    expect(readableLine(entry({ level: 40, msg: "slow" }))).toBe("warning: slow");
    expect(readableLine(entry({ level: 50, msg: "failed" }))).toBe("error: failed");
  });

  it("shows the message of an error, without the stack", () => {
    const err = { type: "Error", message: "no answer", stack: "Error: no answer\n    at x" };
    expect(readableLine(entry({ level: 50, msg: "job failed", err }))).toBe(
      "error: job failed err=no answer",
    );
  });

  it.each(["Listening", "{ not json", '{"some":"json"}'])("leaves %s as it is", (line) => {
    expect(readableLine(line)).toBe(line);
  });
});
