// @ts-check
// `npm run backtest -- --symbol BTC/USDT --timeframe 1h`: what the signals would have come to on recorded candles.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

const STOPPED_BY_USER = 130;

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(STOPPED_BY_USER) });
  await prepareProject(signal);
  const { register } = await import("tsx/esm/api");
  register();
  const { runBacktestCommand } = await import("./backtest/run-backtest-command.ts");
  const say = console.log;
  const report = await runBacktestCommand({ args: process.argv.slice(2), say, signal });
  if (report?.stopped_early) process.exitCode = STOPPED_BY_USER;
});
