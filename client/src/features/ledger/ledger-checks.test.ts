import { describe, expect, it } from "vitest";
import { readSavedHead, saveHead } from "./ledger-checks.tsx";

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
    expect(readSavedHead(box)).toBeNull();
    expect(saveHead(box, { ...head, seq: 3 })).toBe(true);
    saveHead(box, head);
    expect(readSavedHead(box)).toEqual(head);
  });

  it.each(["{", "5", '{"seq":0,"hash":""}'])("is none if %j is stored", (value) => {
    expect(readSavedHead(storage({ "ledger-head": value }))).toBeNull();
  });

  it("is none where the browser keeps nothing", () => {
    expect(saveHead(closed, head)).toBe(false);
    expect(readSavedHead(closed)).toBeNull();
  });
});
