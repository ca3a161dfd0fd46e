import { describe, expect, it } from "vitest";
import { keepHead, readKeptHead } from "./kept-head.ts";

const head = { seq: 12, hash: "ab".repeat(32) };

function storage(values: Record<string, string> = {}) {
  return {
    getItem: (key: string) => values[key] ?? null,
    setItem: (key: string, value: string) => {
      values[key] = value;
    },
  };
}

const closed = {
  getItem() {
    throw new DOMException("denied", "SecurityError");
  },
  setItem() {
    throw new DOMException("full", "QuotaExceededError");
  },
};

describe("the head that a browser keeps", () => {
  it("is the one it verified last", () => {
    const box = storage();
    expect(readKeptHead(box)).toBeNull();
    expect(keepHead(box, { ...head, seq: 3 })).toBe(true);
    keepHead(box, head);
    expect(readKeptHead(box)).toEqual(head);
  });

  it.each(["{", "5", '{"seq":0,"hash":""}'])("is none if %j is stored", (value) => {
    expect(readKeptHead(storage({ "ledger-head": value }))).toBeNull();
  });

  it("is none where the browser keeps nothing", () => {
    expect(keepHead(closed, head)).toBe(false);
    expect(readKeptHead(closed)).toBeNull();
  });
});
