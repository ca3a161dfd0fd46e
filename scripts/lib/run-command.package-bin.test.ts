import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { packageBin } from "./run-command.ts";

describe("the script of a package's command", () => {
  it.each([
    { name: "vitest", command: "vitest" },
    { name: "typescript", command: "tsc" },
    { name: "@biomejs/biome", command: "biome" },
    { name: "playwright", command: "playwright" },
  ])("runs $command with Node.js", ({ name, command }) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [packageBin(name, command), "--version"],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(/\d+\.\d+\.\d+/);
    expect(status).toBe(0);
  });

  it("is the command named like its package by default", () => {
    expect(packageBin("@biomejs/biome")).toBe(packageBin("@biomejs/biome", "biome"));
  });

  it("does not exist for an unknown command", () => {
    expect(() => packageBin("typescript", "tsx")).toThrow("typescript has no command tsx");
  });
});
