import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";

/** Calls of the driver: of a model's own collection, or of one by its name. */
const NATIVE_CALL = /\bnativeCollection\b|\.collection\.[A-Za-z]+\(|\.collection(<[^(]*>)?\(/;

/** Their calls are the most frequent ones, or of collections that have no model. */
const MAY_CALL = /^shared\/(database|outbox|work)\//;

const isTest = (file: string): boolean => /\.(test|suite|spec)\.ts$|\/testing\//.test(file);

it.each([
  "nativeCollection(database.users).find({})",
  "database.users.collection.insertOne(user)",
  "db.collection<Stored>(name)",
])("%s is seen as a call of the driver", (text) => {
  expect(text).toMatch(NATIVE_CALL);
});

it("calls of the driver stand in shared/database, shared/outbox and shared/work only", () => {
  const { stdout } = spawnSync("git", ["ls-files", "server", "worker", "shared"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  const files = stdout.split("\n").filter((file) => file.endsWith(".ts") && !isTest(file));
  expect(files.length).toBeGreaterThan(300);
  const calling = files.filter((file) =>
    NATIVE_CALL.test(readFileSync(join(projectRoot, file), "utf8")),
  );
  expect(calling).toContain("shared/outbox/event-log.ts");
  expect(calling.filter((file) => !MAY_CALL.test(file))).toEqual([]);
});
