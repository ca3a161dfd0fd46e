import { describe, expect, it, vi } from "vitest";
import { EndedJobs } from "./ended-jobs.ts";

describe("jobs that have ended", () => {
  const start = (removeAll: (ids: string[]) => Promise<unknown>) => {
    const errors: unknown[] = [];
    return { ended: new EndedJobs({ removeAll, onError: (error) => errors.push(error) }), errors };
  };

  it("are removed with one command, those of a moment together", async () => {
    const removed: string[][] = [];
    const { ended } = start((ids) => Promise.resolve(removed.push(ids)));
    for (const id of ["a", "b", "c"]) {
      ended.add(id);
      ended.removeSoon();
    }
    expect(ended.size).toBe(3);
    await vi.waitFor(() => expect(removed).toEqual([["a", "b", "c"]]));
    await vi.waitFor(() => expect(ended.size).toBe(0));
  });

  it("are all removed before the worker ends, also those whose removal has begun", async () => {
    const removed: string[] = [];
    const { ended } = start(async (ids) => {
      await Promise.resolve();
      removed.push(...ids);
    });
    ended.add("a");
    const first = ended.flush();
    ended.add("b");
    await ended.flush();
    expect(removed).toEqual(["a", "b"]);
    await first;
  });

  it("do not keep those that end later, when their own removal fails", async () => {
    const down = new Error("the database is away");
    const removed: string[] = [];
    const { ended, errors } = start((ids) => {
      if (ids.includes("a")) return Promise.reject(down);
      return Promise.resolve(removed.push(...ids));
    });
    ended.add("a");
    await ended.flush();
    ended.add("b");
    await ended.flush();
    expect({ removed, errors, left: ended.size }).toEqual({
      removed: ["b"],
      errors: [down],
      left: 0,
    });
  });
});
