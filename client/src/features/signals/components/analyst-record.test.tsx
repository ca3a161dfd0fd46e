import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { expect, test } from "vitest";
import { type AnalystRecord, AnalystRecordPanel } from "./analyst-record.tsx";

const record: AnalystRecord = {
  data: "replay",
  isCalibrated: false,
  state: "loaded",
  facts: [],
  address: "/performance?data=replay&analyst=rules",
};

const panel = (changes: Partial<AnalystRecord>) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <AnalystRecordPanel record={{ ...record, ...changes }} />
    </MemoryRouter>,
  );

interface Case {
  name: string;
  changes: Partial<AnalystRecord>;
  text: string;
}

const cases: Case[] = [
  {
    name: "facts",
    changes: { facts: [{ trades: "All trades", text: "stated 62%, won 32% of 214" }] },
    text: "stated 62%, won 32% of 214",
  },
  {
    name: "no trades yet",
    changes: {},
    text: "No record yet. This analyst version has no won or lost trades, so neither its confidence nor an edge over chance has been measured.",
  },
  {
    name: "a failure",
    changes: { state: "failed" },
    text: "The record is unavailable.",
  },
  {
    name: "nothing yet",
    changes: { state: "loading" },
    text: 'aria-label="Loading the record"',
  },
];

test.each(cases)("a record with $name says so", ({ changes, text }) => {
  expect(panel(changes)).toContain(text);
});

test("demo data and live data are named", () => {
  expect(panel({})).toContain("Record of this analyst version, demo data");
  expect(panel({ data: "live" })).toContain("Record of this analyst version, live data");
  expect(panel({ data: "live" })).not.toContain("demo data");
});

test("has the same box in every state, so that nothing below it moves", () => {
  const box = /<section [^>]*class="([^"]*)"/;
  const [loading, failed, loaded] = (["loading", "failed", "loaded"] as const).map(
    (state) => box.exec(panel({ state }))?.[1],
  );
  expect(loading).toMatch(/min-h-/);
  expect([failed, loaded]).toEqual([loading, loading]);
});
