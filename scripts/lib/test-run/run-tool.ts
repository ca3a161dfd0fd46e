import { parseArgs } from "node:util";
import { CliError, type Command } from "../cli.ts";
import { projectRoot } from "../prepare-project.mjs";
import { packageBin, runCommand } from "../run-command.ts";
import { ensureBrowser } from "./ensure-browser.ts";

/** Output that is stored or read by a program has no colours. */
export const isPlain = !process.stdout.isTTY && !process.env.FORCE_COLOR;

/** Runs a script with Node.js. Its output is shown as it comes, or goes to `say` at the end. */
export async function runTool(options: {
  script: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  signal: AbortSignal;
  say?: (text: string) => void;
  isBackground?: boolean;
}): Promise<number | null> {
  const { script, args, env, signal, say, isBackground } = options;
  const { code, stdout, stderr } = await runCommand({
    command: process.execPath,
    args: [script, ...args],
    cwd: projectRoot,
    env: { ...process.env, ...(isPlain && { NO_COLOR: "1" }), ...env },
    output: say ? "pipe" : "inherit",
    signal,
    isBackground,
  });
  signal.throwIfAborted();
  const output = `${stdout}${stderr}`.trim();
  if (output) say?.(output);
  return code;
}

const OPTIONS = { minutes: { type: "string" }, seed: { type: "string" } } as const;

/** Runs the suites of a folder, all or those with these names: `vitest <folder> [names]` or `playwright <folder> [names]`. */
export async function main({ args, signal }: Command): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [kind, folder, ...names] = positionals;
  const filters = names.length > 0 ? names.map((name) => `${folder}/${name}`) : [`${folder}/`];
  const tool =
    kind === "vitest"
      ? { script: packageBin("vitest"), args: ["run", "--config", "scripts/vitest.config.ts"] }
      : {
          script: packageBin("playwright"),
          args: ["test", "--config", "scripts/playwright.config.ts"],
          env: { CHROMIUM_PATH: await ensureBrowser() },
        };
  const code = await runTool({
    script: tool.script,
    args: [...tool.args, ...filters],
    env: { ...tool.env, SUITE_MINUTES: values.minutes, SUITE_SEED: values.seed },
    signal,
  });
  if (code !== 0) throw new CliError("Some tests failed.");
}
