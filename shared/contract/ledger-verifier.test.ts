import { type LedgerStep, makeLedger } from "@shared/testing/ledger-factory.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "./ledger.ts";
import { createLedgerVerifier, hashRecord, type KeptHead } from "./ledger-verifier.ts";

function verify(lines: readonly unknown[], kept: readonly KeptHead[] = []) {
  const verifier = createLedgerVerifier({ kept });
  for (const line of lines) {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    if (!verifier.add(text)) break;
  }
  return verifier.finish();
}

/** An edited entry with the hash that fits it. */
function withValidHash(entry: LedgerEntry): LedgerEntry {
  const { hash: _, ...content } = entry.record;
  return { ...entry, record: { ...content, hash: hashRecord(content) } };
}

/** Ledgers of analyses, and the outcomes of some. */
const ledgers = fc
  .array(
    fc.record({
      resolved: fc.boolean(),
      price: fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
    }),
    {
      minLength: 2,
      maxLength: 12,
    },
  )
  .map((analyses) => {
    const steps: LedgerStep[] = analyses.map(({ resolved, price }) => ({
      kind: "analysis",
      revealed: resolved,
      figures: { entry: price },
    }));
    for (const [index, { resolved }] of analyses.entries()) {
      if (resolved)
        steps.push({ kind: "outcome", of: index + 1, outcome: index % 2 ? "LOSS" : "WIN" });
    }
    return steps;
  });

/** A ledger, and one or two of its places. */
const tampering = fc.tuple(ledgers, fc.nat(), fc.nat()).map(([steps, a, b]) => {
  const first = a % steps.length;
  const second = b % steps.length;
  return { steps, at: first, from: Math.min(first, second), to: Math.max(first, second) };
});

type Tampering = typeof tampering extends fc.Arbitrary<infer Value> ? Value : never;

/** Holds for any ledger and any place in it. */
function always(check: (entries: LedgerEntry[], where: Tampering) => void) {
  fc.assert(
    fc.property(tampering, (where) => check(makeLedger(where.steps), where)),
    { numRuns: 60 },
  );
}

/** Another value of the same kind. */
function altered(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) {
    return (value.startsWith("0") ? "1" : "0") + value.slice(1);
  }
  if (typeof value === "string") return `${value}0`;
  if (Array.isArray(value)) return [...value, 1];
  return 0;
}

describe("an unchanged ledger", () => {
  it("is valid, with its totals", () => {
    const entries = makeLedger([
      { kind: "analysis", revealed: true },
      { kind: "analysis", revealed: true },
      { kind: "outcome", of: 1, outcome: "WIN" },
      { kind: "analysis", revealed: false, figures: { data: "replay" } },
      { kind: "outcome", of: 2, outcome: "LOSS" },
    ]);
    const last = entries.at(-1)?.record;
    expect(verify(entries)).toEqual({
      fault: null,
      head: { seq: 5, hash: last?.hash },
      tally: {
        analyses: { live: 2, replay: 1, none: 0 },
        outcomes: { WIN: 1, LOSS: 1, EXPIRED: 0 },
        shadow: { analyses: 0, outcomes: 0 },
        revealed: 2,
        late: 0,
      },
    });
  });

  it("is valid with any records, and against every kept head", () => {
    always((entries) => {
      const heads = entries.map(({ record }) => ({ seq: record.seq, hash: record.hash }));
      expect(verify(entries, heads).fault).toBeNull();
    });
  });

  it("judges the trades of the bench as others, and counts them by themselves", () => {
    const entries = makeLedger([
      { kind: "analysis", revealed: true, arm: "one" },
      { kind: "analysis", revealed: true },
      { kind: "outcome", of: 1, outcome: "LOSS", arm: "one" },
      { kind: "outcome", of: 2, outcome: "WIN" },
    ]);
    const { fault, tally } = verify(entries);
    expect(fault).toBeNull();
    expect(tally.shadow).toEqual({ analyses: 1, outcomes: 1 });
    expect(tally.analyses).toEqual({ live: 1, replay: 0, none: 0 });
    expect(tally.outcomes).toEqual({ WIN: 1, LOSS: 0, EXPIRED: 0 });
  });

  it("says of no trade that another arm made it", () => {
    const analysis = { kind: "analysis", revealed: true, arm: "one" } as const;
    const moved = makeLedger([analysis, { kind: "outcome", of: 1, arm: "two" }]);
    expect(verify(moved).fault).toMatchObject({ seq: 2, reason: "reference" });
    const renamed = makeLedger([{ ...analysis, figures: { arm: "two" } }]);
    expect(verify(renamed).fault).toMatchObject({ seq: 1, reason: "reveal" });
  });

  it("may be empty", () => {
    expect(verify([""])).toMatchObject({ fault: null, head: { seq: 0 } });
  });

  it("reports late commitments", () => {
    const finished_at = "2025-01-30T23:00:00.000Z";
    const entries = makeLedger([{ kind: "analysis", revealed: true, figures: { finished_at } }]);
    expect(verify(entries).tally.late).toBe(1);
  });

  it("does not count the demo record as late, which can only be of demo data", () => {
    const finished_at = "2025-01-30T23:00:00.000Z";
    const verifyDemo = (data: "live" | "replay") => {
      const analysis = { kind: "analysis", revealed: true, demo: true } as const;
      const outcome = { kind: "outcome", of: 1, demo: true } as const;
      return verify(makeLedger([{ ...analysis, figures: { data, finished_at } }, outcome]));
    };
    expect(verifyDemo("replay")).toMatchObject({ fault: null, tally: { late: 0 } });
    expect(verifyDemo("live").fault).toMatchObject({ seq: 1, reason: "reference" });
  });
});

/** The ledger with another line in this place; without one if there is none. */
const withLine = (entries: readonly unknown[], at: number, ...lines: unknown[]): unknown[] => [
  ...entries.slice(0, at),
  ...lines,
  ...entries.slice(at + 1),
];

function entryAt(entries: readonly LedgerEntry[], at: number): LedgerEntry {
  const entry = entries[at];
  if (!entry) throw new Error(`there is no entry ${at}`);
  return entry;
}

const headOf = (entries: readonly LedgerEntry[]): KeptHead =>
  entryAt(entries, entries.length - 1).record;

describe("the first bad record is reported", () => {
  it("when any field of it was edited", () => {
    always((entries, { at }) => {
      const { record, reveal } = entryAt(entries, at);
      const edits = [
        ...Object.entries(record)
          .filter(([name]) => name !== "body")
          .map(([name, value]) => ({ [name]: altered(value) })),
        ...Object.entries(record.body).map(([name, value]) => ({
          body: { ...record.body, [name]: altered(value) },
        })),
      ];
      for (const edit of edits) {
        const edited = { reveal, record: { ...record, ...edit } };
        const { fault } = verify(withLine(entries, at, edited));
        expect(fault, JSON.stringify(edit)).toMatchObject({ seq: at + 1, line: at + 1 });
        expect(["hash", "malformed"]).toContain(fault?.reason);
      }
    });
  });

  it("when it was edited together with its hash", () => {
    always((entries, { at }) => {
      const { record, reveal } = entryAt(entries, at);
      const later = new Date(Date.parse(record.at) + 1).toISOString();
      const edited = withValidHash({ reveal, record: { ...record, at: later } });
      const { fault } = verify(withLine(entries, at, edited), [headOf(entries)]);
      const isLast = at === entries.length - 1;
      expect(fault).toMatchObject(
        isLast
          ? { seq: at + 1, reason: "head" }
          : { seq: at + 2, line: at + 2, reason: "prev-hash" },
      );
    });
  });

  it("when it was deleted", () => {
    always((entries, { at }) => {
      const { fault } = verify(withLine(entries, at), [headOf(entries)]);
      const isLast = at === entries.length - 1;
      expect(fault).toMatchObject({ seq: at + 1, reason: isLast ? "truncated" : "gap" });
    });
  });

  it("when it was inserted twice", () => {
    always((entries, { from, to }) => {
      const { fault } = verify(withLine(entries, to, entries[to], entries[from]));
      expect(fault).toMatchObject({ seq: from + 1, line: to + 2, reason: "duplicate" });
    });
  });

  it("when a made-up one that continues the chain was inserted before it", () => {
    always((entries, { at }) => {
      const { record } = entryAt(entries, at);
      const body = { data: "live", figures_commitment: record.hash } as const;
      const made = withValidHash({
        reveal: null,
        record: { ...record, kind: "analysis", body },
      });
      const { fault } = verify(withLine(entries, at, made, entries[at]));
      expect(fault).toMatchObject({ seq: at + 1, line: at + 2, reason: "duplicate" });
    });
  });

  it("when two were exchanged", () => {
    always((entries, { from, to }) => {
      if (from === to) return;
      const swapped = withLine(withLine(entries, from, entries[to]), to, entries[from]);
      const { fault } = verify(swapped);
      expect(fault).toMatchObject({ seq: from + 1, line: from + 1, reason: "reordered" });
    });
  });

  it("when the end was cut off, against a kept head", () => {
    always((entries, { at }) => {
      const { fault, head } = verify(entries.slice(0, at), [headOf(entries)]);
      expect(fault).toMatchObject({ seq: at + 1, line: null, reason: "truncated" });
      expect(head.seq).toBe(at);
    });
  });

  it("when it and all later ones were rewritten, against any later kept head", () => {
    always((entries, { from, to, steps }) => {
      const step = steps[from];
      if (step?.kind !== "analysis") return;
      const figures = { ...step.figures, symbol: "ETH/USDT" };
      const rewritten = makeLedger(steps.with(from, { ...step, figures }));
      expect(verify(rewritten).fault).toBeNull();
      const { fault } = verify(rewritten, [entryAt(entries, to).record]);
      expect(fault).toMatchObject({ seq: to + 1, line: to + 1, reason: "head" });
    });
  });

  it("when what was revealed is not what it committed to", () => {
    always((entries, { at }) => {
      const { record, reveal } = entryAt(entries, at);
      if (!reveal) return;
      const others = [
        { ...reveal, salt: altered(reveal.salt) },
        { ...reveal, figures: { ...reveal.figures, entry: 1e9 } },
        { ...reveal, figures: { ...reveal.figures, remark: "more" } },
      ];
      for (const other of others) {
        const { fault } = verify(withLine(entries, at, { record, reveal: other }));
        expect(fault).toMatchObject({ seq: at + 1, line: at + 1, reason: "reveal" });
      }
    });
  });

  it("when it was resolved and its figures are withheld", () => {
    always((entries, { at }) => {
      const { record, reveal } = entryAt(entries, at);
      if (!reveal) return;
      const { fault } = verify(withLine(entries, at, { record, reveal: null }));
      expect(fault).toMatchObject({ seq: at + 1, reason: "unrevealed" });
    });
  });

  it.each<[string, LedgerStep[], number]>([
    ["an outcome of what is to come", [{ kind: "outcome", of: 2 }], 1],
    [
      "an outcome of no analysis",
      [
        { kind: "analysis", revealed: true },
        { kind: "outcome", of: 1 },
        { kind: "outcome", of: 2 },
      ],
      3,
    ],
    [
      "a second outcome",
      [
        { kind: "analysis", revealed: true },
        { kind: "outcome", of: 1 },
        { kind: "outcome", of: 1 },
      ],
      3,
    ],
  ])("when it is %s", (_, steps, seq) => {
    const { fault } = verify(makeLedger(steps));
    expect(fault).toMatchObject({ seq, line: seq, reason: "reference" });
  });

  it("when it is older than the one before", () => {
    const [first, second] = makeLedger([
      { kind: "analysis", revealed: true },
      { kind: "analysis", revealed: true },
    ]);
    if (!first || !second) throw new Error("the ledger is too short");
    const at = new Date(Date.parse(first.record.at) - 1).toISOString();
    const older = withValidHash({ ...second, record: { ...second.record, at } });
    expect(verify([first, older]).fault).toMatchObject({ seq: 2, reason: "time" });
  });

  it.each(["{", "null", "[]", '{"record":{"seq":3},"reveal":null}'])(
    "when its line is %s",
    (line) => {
      const entries = makeLedger([{ kind: "analysis", revealed: true }]);
      const { fault } = verify([...entries, line]);
      expect(fault).toMatchObject({ seq: 2, line: 2, reason: "malformed" });
    },
  );
});
