import { describe, expect, it } from "vitest";
import { fairShare, freerWorkers } from "./worker-loads.ts";

const worker = (inFlight: number, capacity = 10) => ({ id: `${inFlight}`, inFlight, capacity });

describe("a worker's share of the jobs that wait", () => {
  it("is all of them while it is alone, as far as it has places", () => {
    expect(fairShare({ me: worker(0), others: [], ready: 4 })).toBe(4);
    expect(fairShare({ me: worker(7), others: [], ready: 40 })).toBe(3);
    expect(fairShare({ me: worker(10), others: [], ready: 40 })).toBe(0);
  });

  it("leaves the others theirs, by what each may hold", () => {
    expect(fairShare({ me: worker(0), others: [worker(0)], ready: 8 })).toBe(4);
    expect(fairShare({ me: worker(0, 30), others: [worker(0, 10)], ready: 8 })).toBe(6);
    expect(fairShare({ me: worker(1), others: [worker(5)], ready: 4 })).toBe(4);
  });

  it("is one at least: it is this worker's turn", () => {
    expect(fairShare({ me: worker(0), others: [worker(0)], ready: 1 })).toBe(1);
    expect(fairShare({ me: worker(3), others: [worker(3)], ready: 1 })).toBe(1);
  });
});

describe("a worker leaves the next job", () => {
  it("to those that are filled less, by what each may hold", () => {
    const others = [worker(1), worker(3), worker(4, 20)];
    expect(freerWorkers(worker(3), others)).toEqual([worker(1), worker(4, 20)]);
  });
});
