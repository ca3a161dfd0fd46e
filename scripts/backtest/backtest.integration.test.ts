import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { backtestReportSchema } from "../../worker/src/backtest/report.ts";
import { projectRoot } from "../lib/prepare-project.mjs";
import { runBacktestCommand } from "./run-backtest-command.ts";

const QUICK = ["--repetitions", "5", "--bars", "40"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "backtest-"));
  vi.stubEnv("INIT_CWD", folder);
  vi.stubEnv("DATA_DIR", join(folder, "data"));
  vi.stubEnv("OPENAI_API_KEY", "");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function backtest(...args: string[]) {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const say = (line: string) => lines.push(line);
  const report = await runBacktestCommand({ args: [...QUICK, ...args], say, signal });
  return { report, text: lines.join("\n") };
}

const readReport = (file: string) =>
  backtestReportSchema.parse(JSON.parse(readFileSync(file, "utf8")));

describe("npm run backtest", () => {
  it("walks recorded candles, says what it found with its limitations, and writes a report", async () => {
    const { report, text } = await backtest("--symbol", "ETH/USDT", "--timeframe", "30m");
    expect(text).toContain("Walking: 40 of 40");
    expect(text).toMatch(/rules was asked at \d+ of 40 closes/);
    const [stamp = ""] = readdirSync(join(folder, "data", "backtests"));
    const written = join(folder, "data", "backtests", stamp);
    expect(readReport(join(written, "report.json"))).toEqual(report);
    for (const caveat of report?.caveats ?? []) expect(text).toContain(caveat);
  });

  it("walks a file of one's own", async () => {
    const source = join(projectRoot, "worker/src/market-data/replay/data/BTC-USDT.1h.csv");
    const [head, ...rows] = readFileSync(source, "utf8").trim().split("\n");
    writeFileSync(join(folder, "own.csv"), [head, ...rows.slice(0, 345)].join("\n"));
    const { report } = await backtest("--csv", "own.csv", "--symbol", "own/coin", "--out", "here");
    expect(report).toMatchObject({ bars: 40, data: { provider: "file", candles: 340 } });
    expect(report?.options.from).toBe("csv");
    expect(report?.caveats.join()).not.toContain("In-sample");
    expect(readReport(join(folder, "here", "report.json")).options.symbol).toBe("OWN/COIN");
  });

  it("asks the model once for each question: a rerun makes no call and finds the same", async () => {
    const ai = await startFakeOpenAi();
    vi.stubEnv("OPENAI_API_KEY", "sk-test");
    vi.stubEnv("OPENAI_BASE_URL", ai.baseUrl);
    vi.stubEnv("OPENAI_MODEL", "stand-in");
    const ask = () => backtest("--analyst", "openai", "--every", "8");
    const first = await ask();
    const calls = ai.chats.length;
    expect(calls).toBeGreaterThan(0);
    expect(first.report?.analyst.calls).toEqual({ made: calls, kept: 0 });
    const second = await ask();
    expect(ai.chats).toHaveLength(calls);
    expect(second.report?.analyst.calls).toEqual({ made: 0, kept: calls });
    expect(second.report?.statements).toEqual(first.report?.statements);
    expect(second.report?.trades).toEqual(first.report?.trades);
    await ai.close();
  });

  describe("with candles of a live provider", () => {
    let exchange: FakeExchange;
    beforeEach(async () => {
      exchange = await startFakeExchange();
      vi.stubEnv("EXCHANGES", "binance");
      vi.stubEnv("EXCHANGE_URL", exchange.url);
    });
    afterEach(() => exchange.close());

    it("fetches as many as it needs", async () => {
      const { report, text } = await backtest("--from", "provider", "--bars", "350");
      expect(text).toContain("Fetched 650 candles.");
      expect(report).toMatchObject({ bars: 350, data: { provider: "binance", candles: 650 } });
    });

    it("says in a line that it has no such symbol", async () => {
      await expect(backtest("--from", "provider", "--symbol", "NONE/USDT")).rejects.toMatchObject({
        name: "CliError",
      });
    });
  });

  it.each([
    [
      ["--symbol", "NONE/USDT"],
      "There are no recorded candles of NONE/USDT. Recorded are BTC/USDT",
    ],
    [
      ["--symbol", "EUR/USD", "--timeframe", "5m"],
      `only at ${TIMEFRAMES.slice(TIMEFRAMES.indexOf("1h")).join(", ")}.`,
    ],
    [["--timeframe", "7h"], "--timeframe: "],
    [["--symbol", "XAUT/USDT", "--timeframe", "1d"], "too few for 300 to warm up"],
    [["--analyst", "openai"], "needs OPENAI_API_KEY"],
    [["--risk", "0"], "--risk: "],
    [["--bars", "many"], "--bars: "],
    [["--csv", "none.csv"], "none.csv cannot be read"],
    [["--csv", "a.csv", "--from", "provider"], "--csv: is a file"],
    [["--speed", "9"], "Usage: npm run backtest"],
  ])("refuses %j in a line", async (args, reason) => {
    const refused = backtest(...args);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({ name: "CliError" });
  });

  it("explains itself", async () => {
    const { report, text } = await backtest("--help");
    expect(report).toBeNull();
    expect(text).toMatch(/^Usage: npm run backtest/);
  });

  it("writes what it walked when it is stopped, and says so by its exit code", async () => {
    const args = ["--symbol", "XAU/USD", "--bars", "2500", "--repetitions", "1", "--out", "here"];
    const child = spawn(process.execPath, ["scripts/run.mjs", "backtest", ...args], {
      cwd: projectRoot,
      env: { ...process.env, INIT_CWD: folder },
    });
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
    expect(readReport(join(folder, "here", "report.json")).stopped_early).toBe(true);
  }, 60_000);
});
