import type { NumberedEvent } from "@shared/outbox/event-log.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamCursor } from "./stream-cursor.ts";

const STREAM = "user:1";
const event = (seq: number): NumberedEvent => ({
  stream: STREAM,
  seq,
  name: "history:cleared",
  data: {},
  at: new Date(0),
});

/** A log in memory whose oldest events can be gone; each read is answered a moment later. */
function logOf(state: { head: number; oldestKept: number }) {
  return {
    async readAfter({ after, limit }: { after: number; limit: number }) {
      await Promise.resolve();
      const first = Math.max(after + 1, state.oldestKept);
      const count = Math.max(0, Math.min(limit, state.head - first + 1));
      return Array.from({ length: count }, (_, index) => event(first + index));
    },
    async head() {
      await Promise.resolve();
      return state.head;
    },
  };
}

/** Takes so many events until the reader has read them. */
function bufferOf(capacity: number) {
  let count = 0;
  return {
    add: () => {
      count += 1;
    },
    get isFull() {
      return count >= capacity;
    },
    async drained() {
      await Promise.resolve();
      count = 0;
    },
  };
}

/** Opens once it is waited for. */
function openGate() {
  let isOpen = true;
  return {
    get isOpen() {
      return isOpen;
    },
    async opened() {
      await Promise.resolve();
      isOpen = true;
    },
    shut() {
      isOpen = false;
    },
  };
}

async function openCursor(
  state: { head: number; oldestKept: number },
  since?: number,
  capacity = Number.POSITIVE_INFINITY,
) {
  const buffer = bufferOf(capacity);
  const gate = openGate();
  const sent: number[] = [];
  const resyncs: number[] = [];
  const cursor = await StreamCursor.open({
    stream: STREAM,
    since,
    log: logOf(state),
    buffer,
    gate,
    send: ({ seq }) => {
      expect(buffer.isFull).toBe(false);
      expect(gate.isOpen).toBe(true);
      buffer.add();
      sent.push(seq);
    },
    resync: (head) => {
      expect(gate.isOpen).toBe(true);
      resyncs.push(head);
    },
  });
  return { cursor, sent, resyncs, gate };
}

describe("a reader's place in a stream", () => {
  it("starts at the end when the reader does not say where it is", async () => {
    const state = { head: 7, oldestKept: 1 };
    const { cursor, sent } = await openCursor(state);
    await cursor.catchUp();
    state.head = 8;
    await cursor.receive(event(8));
    expect(sent).toEqual([8]);
  });

  it("gives all that was missed, page after page, before what comes", async () => {
    const { cursor, sent } = await openCursor({ head: 450, oldestKept: 1 }, 3);
    await cursor.catchUp();
    expect(sent).toEqual(Array.from({ length: 447 }, (_, index) => index + 4));
  });

  it("resyncs once when what was missed is no longer kept, then goes on", async () => {
    const state = { head: 20, oldestKept: 15 };
    const { cursor, sent, resyncs } = await openCursor(state, 3);
    await cursor.catchUp();
    state.head = 21;
    await cursor.receive(event(21));
    expect({ sent, resyncs }).toEqual({ sent: [21], resyncs: [20] });
  });

  it("resyncs a reader who claims to be ahead of the log", async () => {
    const { cursor, sent, resyncs } = await openCursor({ head: 5, oldestKept: 1 }, 99);
    await cursor.catchUp();
    expect({ sent, resyncs }).toEqual({ sent: [], resyncs: [5] });
  });

  it("waits while the buffer is full, then gives the rest and what was added meanwhile", async () => {
    const state = { head: 450, oldestKept: 1 };
    const { cursor, sent } = await openCursor(state, 0, 7);
    const reading = cursor.catchUp();
    state.head = 451;
    void cursor.receive(event(451));
    await reading;
    expect(sent).toEqual(Array.from({ length: 451 }, (_, index) => index + 1));
  });

  it("sends nothing while the gate is closed, also not what it was reading, and all of it afterwards", async () => {
    const state = { head: 5, oldestKept: 1 };
    const { cursor, sent, resyncs, gate } = await openCursor(state, 0);
    const reading = cursor.catchUp();
    gate.shut();
    await reading;
    expect(sent).toEqual([1, 2, 3, 4, 5]);
    gate.shut();
    state.head = 6;
    await cursor.receive(event(6));
    expect(sent).toEqual([1, 2, 3, 4, 5, 6]);
    state.head = 20;
    state.oldestKept = 15;
    const readingOn = cursor.catchUp();
    gate.shut();
    await readingOn;
    expect(resyncs).toEqual([20]);
  });

  it("sends nothing any more once it is closed", async () => {
    const { cursor, sent } = await openCursor({ head: 5, oldestKept: 1 }, 0);
    const reading = cursor.catchUp();
    cursor.close();
    await reading;
    expect(sent).toEqual([]);
  });

  it("passes each number once and in order, whatever arrives late, twice, out of order or not at all, and however slowly it is read", async () => {
    const received = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
    const start = fc.integer({ min: 0, max: 10 });
    const capacity = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(received, start, capacity, async (seqs, since, capacityOfReader) => {
        const state = { head: since, oldestKept: 1 };
        const { cursor, sent } = await openCursor(state, since, capacityOfReader);
        for (const seq of seqs) {
          // An event is received only after it was committed.
          state.head = Math.max(state.head, seq);
          await cursor.receive(event(seq));
        }
        await cursor.catchUp();
        const expected = Array.from({ length: state.head - since }, (_, i) => since + 1 + i);
        expect(sent).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
