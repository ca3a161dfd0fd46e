import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";
import { packageBin } from "../lib/run-command.ts";

/** A file of the project, and what it might import. */
const forbidden = [
  ["client/src/app/router.tsx", "@shared/runtime/settings.ts"],
  ["client/src/app/router.tsx", "@shared/testing/test-mongo.ts"],
  ["client/src/app/router.tsx", "../../../shared/runtime/settings.ts"],
  ["client/src/app/router.tsx", "../../../server/src/app.ts"],
  ["client/src/app/router.tsx", "../../../worker/src/main.ts"],
  ["client/src/app/router.tsx", "node:fs"],
  ["client/src/app/router.tsx", "mongoose"],
  ["client/src/features/auth/login-page.tsx", "../pricing/pricing-page.tsx"],
  ["client/src/features/signals/signal.tsx", "../bot/bot-page.tsx"],
  ["client/src/features/signals/parts/card.tsx", "../../bot/bot-page.tsx"],
  ["client/src/features/auth/login-page.tsx", "../../app/router.tsx"],
  ["client/src/features/auth/parts/form.tsx", "../../pricing/pricing-page.tsx"],
  ["client/src/features/auth/parts/form.tsx", "../../../app/router.tsx"],
  ["client/src/features/auth/parts/form.tsx", "@shared/runtime/settings.ts"],
  ["client/src/ui/button.tsx", "../features/auth/login-page.tsx"],
  ["client/src/ui/button.tsx", "../app/router.tsx"],
  ["client/src/lib/api/client.ts", "../../features/auth/login-page.tsx"],
  ["client/src/lib/api/client.ts", "../../app/router.tsx"],
  ["server/src/modules/signals/routes.ts", "../../../../worker/src/main.ts"],
  ["server/src/modules/signals/routes.ts", "../../../../client/src/main.tsx"],
  ["server/src/modules/signals/routes.ts", "ccxt"],
  ["server/src/modules/signals/routes.ts", "openai"],
  ["server/src/modules/signals/routes.ts", "openai/helpers/zod"],
  ["server/src/modules/signals/routes.ts", "@shared/testing/test-mongo.ts"],
  ["server/src/modules/signals/routes.test.ts", "../../../../client/src/main.tsx"],
  ["worker/src/jobs/run.ts", "../../../server/src/app.ts"],
  ["worker/src/jobs/run.ts", "../../../client/src/main.tsx"],
  ["worker/src/jobs/run.ts", "ccxt"],
  ["worker/src/signals/analyst.ts", "openai"],
  ["worker/src/signals/analyst.ts", "@shared/testing/test-mongo.ts"],
  ["worker/src/signals/analyst.test.ts", "openai"],
  ["worker/src/market-data/ccxt/provider.ts", "../../../../server/src/app.ts"],
  ["shared/outbox/commit.ts", "../../server/src/app.ts"],
  ["shared/outbox/commit.ts", "../../worker/src/main.ts"],
  ["shared/outbox/commit.ts", "../../client/src/main.tsx"],
  ["shared/outbox/commit.ts", "ccxt"],
  ["shared/testing/factories.ts", "../../client/src/main.tsx"],
  ["shared/contract/signal.ts", "node:crypto"],
  ["shared/contract/signal.ts", "../runtime/settings.ts"],
  ["shared/contract/signal.ts", "@shared/runtime/settings.ts"],
  ["shared/contract/signal.ts", "mongoose"],
  ["e2e/login.spec.ts", "../server/src/app.ts"],
] as const;

const allowed = [
  ["client/src/app/router.tsx", "../features/auth/login-page.tsx"],
  ["client/src/app/router.tsx", "@shared/contract/signal.ts"],
  ["client/src/features/auth/login-page.tsx", "./parts/form.tsx"],
  ["client/src/features/bot/bot-page.tsx", "../signals/api.ts"],
  ["client/src/features/bot/parts/form.tsx", "../../signals/api.ts"],
  ["client/src/features/auth/login-page.tsx", "../../lib/api/client.ts"],
  ["client/src/features/auth/parts/form.tsx", "../login-page.tsx"],
  ["client/src/features/auth/parts/form.tsx", "../../../ui/button.tsx"],
  ["client/src/ui/button.tsx", "../lib/api/client.ts"],
  ["server/src/modules/signals/routes.ts", "@shared/outbox/commit.ts"],
  ["server/src/modules/signals/routes.test.ts", "@shared/testing/factories.ts"],
  ["worker/src/jobs/run.ts", "../market-data/ccxt/provider.ts"],
  ["worker/src/market-data/ccxt/provider.ts", "ccxt"],
  ["worker/src/analysis/openai/analyst.test.ts", "openai"],
  ["shared/outbox/commit.ts", "@shared/contract/signal.ts"],
  ["shared/contract/signal.ts", "./market-data.ts"],
  ["shared/contract/signal.ts", "zod"],
  ["shared/contract/signal.ts", "zod/mini"],
  ["e2e/login.spec.ts", "@shared/contract/constants.ts"],
] as const;

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      location: z.object({ path: z.string(), start: z.object({ line: z.number() }) }),
    }),
  ),
});

/** One project with every import, linted once: the violations as `file imports what`. */
function findViolations(folder: string): Set<string> {
  const imports = new Map<string, string[]>();
  for (const [file, name] of [...forbidden, ...allowed]) {
    imports.set(file, [...(imports.get(file) ?? []), name]);
  }
  for (const [file, names] of imports) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), names.map((name) => `import "${name}";\n`).join(""));
  }
  for (const file of ["biome.json", ".gitignore"]) {
    copyFileSync(join(projectRoot, file), join(folder, file));
  }
  const { stdout } = spawnSync(
    process.execPath,
    [
      packageBin("@biomejs/biome"),
      "lint",
      "--only=style/noRestrictedImports",
      "--reporter=json",
      "--max-diagnostics=none",
    ],
    { cwd: folder, encoding: "utf8" },
  );
  const { diagnostics } = reportSchema.parse(JSON.parse(stdout));
  return new Set(
    diagnostics
      .filter(({ category }) => category === "lint/style/noRestrictedImports")
      .map(({ location }) => {
        const name = imports.get(location.path)?.[location.start.line - 1];
        return `${location.path} imports ${name}`;
      }),
  );
}

describe("the import boundaries", () => {
  let folder = "";
  let violations = new Set<string>();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "import-walls-"));
    violations = findViolations(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(forbidden)("keep %s from importing %s", (file, name) => {
    expect(violations).toContain(`${file} imports ${name}`);
  });

  it.each(allowed)("let %s import %s", (file, name) => {
    expect(violations).not.toContain(`${file} imports ${name}`);
  });
});
