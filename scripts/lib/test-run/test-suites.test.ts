import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CliError } from "../cli.ts";
import { runSuites, type Suite } from "./test-suites.ts";

function suite(title: string, run: () => Promise<{ passed: number; failed: number }>) {
  return { title, run };
}

const good = suite("Good", async () => ({ passed: 2, failed: 0 }));
const broken = suite("Broken", async () => {
  throw new CliError("no browser");
});

async function run(suites: [string, Suite][], names: string[] = []) {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const say = (line: string) => void lines.push(line);
  const isComplete = await runSuites({ suites: new Map(suites), names, signal, say });
  return { isComplete, lines };
}

describe("a run of all suites", () => {
  it("goes on after a suite that cannot run, and ends with the sum", async () => {
    const { isComplete, lines } = await run([
      ["broken", broken],
      ["good", good],
    ]);
    expect(isComplete).toBe(false);
    expect(lines).toContain("no browser");
    expect(lines.at(-1)).toBe("2 passed, 1 failed");
  });

  it("runs suites beside one another, and the next only after them", async () => {
    const events: string[] = [];
    const noting = (title: string) => ({
      title,
      run: async () => {
        events.push(`${title} starts`);
        await setImmediate();
        events.push(`${title} ends`);
        return { passed: 1, failed: 0 };
      },
    });
    const { lines } = await run([
      ["types", noting("Types")],
      ["unit", noting("Unit")],
      ["browser", { ...noting("Browser"), runsAlone: true }],
    ]);
    expect(events).toEqual([
      "Types starts",
      "Unit starts",
      "Types ends",
      "Unit ends",
      "Browser starts",
      "Browser ends",
    ]);
    expect(lines.at(-1)).toBe("3 passed, 0 failed");
  });

  it("prepares a later suite while the earlier ones run, and runs it also if that fails", async () => {
    const preparing = new EventEmitter();
    const isPrepared = once(preparing, "prepared");
    const prepare = async () => {
      preparing.emit("prepared");
      throw new CliError("no pages");
    };
    const first = suite("First", async () => {
      await isPrepared;
      return { passed: 1, failed: 0 };
    });
    const { lines } = await run([
      ["first", first],
      ["browser", { ...good, runsAlone: true, prepare }],
    ]);
    expect(lines.at(-1)).toBe("3 passed, 0 failed");
  });

  it("is complete when nothing failed", async () => {
    const { isComplete, lines } = await run([["good", good]]);
    expect(isComplete).toBe(true);
    expect(lines.at(-1)).toBe("2 passed, 0 failed");
  });

  it("takes only the suites that are named", async () => {
    const { lines } = await run(
      [
        ["broken", broken],
        ["good", good],
      ],
      ["good"],
    );
    expect(lines.at(-1)).toBe("2 passed, 0 failed");
  });

  it("says which suites there are when asked for an unknown one", async () => {
    await expect(run([["good", good]], ["bad"])).rejects.toThrow(
      'No suite "bad"; there are: good.',
    );
  });
});
