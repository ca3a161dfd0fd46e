import { describe, expect, it, vi } from "vitest";
import { LateLocks } from "./late-locks.ts";

describe("locks of jobs that a lone worker has begun", () => {
  const start = (lockAll: (ids: string[]) => Promise<unknown>) => {
    const errors: unknown[] = [];
    return { locks: new LateLocks({ lockAll, onError: (error) => errors.push(error) }), errors };
  };

  it("are written soon with one command, but not those of jobs that have ended by then", async () => {
    const locked: string[][] = [];
    const { locks } = start((ids) => Promise.resolve(locked.push(ids)));
    for (const id of ["a", "b", "c"]) locks.add(id);
    locks.drop("b");
    await vi.waitFor(() => expect(locked).toEqual([["a", "c"]]));
  });

  it("are all written before the worker looks for jobs, also those on their way", async () => {
    const locked: string[] = [];
    const { locks } = start(async (ids) => {
      await Promise.resolve();
      locked.push(...ids);
    });
    locks.add("a");
    const first = locks.flush();
    locks.add("b");
    await locks.flush();
    expect(locked).toEqual(["a", "b"]);
    await first;
  });

  it("cost no later ones when they fail", async () => {
    const down = new Error("the database is away");
    const locked: string[] = [];
    const { locks, errors } = start((ids) =>
      ids.includes("a") ? Promise.reject(down) : Promise.resolve(locked.push(...ids)),
    );
    locks.add("a");
    await locks.flush();
    locks.add("b");
    await locks.flush();
    expect({ locked, errors }).toEqual({ locked: ["b"], errors: [down] });
  });
});
