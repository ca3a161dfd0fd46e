import { expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

const ENDS_WITH_LOW_PRIORITY = `
  const { constants, getPriority } = require("node:os");
  const timer = setInterval(() => {
    if (getPriority() === constants.priority.PRIORITY_LOW) clearInterval(timer);
  }, 5);
`;

it("a command in the background has the lowest priority", async () => {
  const { code } = await runCommand({
    command: process.execPath,
    args: ["-e", ENDS_WITH_LOW_PRIORITY],
    timeoutMs: 30_000,
    isBackground: true,
  });
  expect(code).toBe(0);
});
