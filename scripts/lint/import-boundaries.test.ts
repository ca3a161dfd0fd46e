import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";
import { importsOf, violationOf } from "./import-boundaries.ts";

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
  ["client/src/ui/button.tsx", "../domain/me.ts"],
  ["client/src/lib/api/client.ts", "../../domain/me.ts"],
  ["client/src/domain/me.ts", "../features/bot/bot-page.tsx"],
  ["client/src/lib/api/client.ts", "../../features/auth/login-page.tsx"],
  ["client/src/lib/api/client.ts", "../../app/router.tsx"],
  ["server/src/http/router.ts", "../modules/signals/routes.ts"],
  ["server/src/server-deps.ts", "./modules/signals/signal-waiters.ts"],
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
  ["scripts/bench/main.ts", "ccxt"],
  ["scripts/check-model/run-check-model.ts", "openai"],
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
  ["server/src/modules/signals/routes.ts", "../../http/router.ts"],
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

describe("the import boundaries", () => {
  it.each(forbidden)("keep %s from importing %s", (file, name) => {
    expect(violationOf(file, name)).not.toBeNull();
  });

  it.each(allowed)("let %s import %s", (file, name) => {
    expect(violationOf(file, name)).toBeNull();
  });

  it("are seen in every kind of import", () => {
    const text = `import "./a.ts";
import type { B } from "./b.ts";
import {
  c,
  type D,
} from "./c.ts";
export const page = () => import("./d.ts");
import e from "e";
`;
    expect(importsOf(text)).toEqual(["./a.ts", "./b.ts", "./c.ts", "./d.ts", "e"]);
  });

  it("are kept by the project", () => {
    const { stdout } = spawnSync(
      "git",
      ["ls-files", "client", "server", "worker", "shared", "scripts", "e2e"],
      {
        cwd: projectRoot,
        encoding: "utf8",
      },
    );
    const files = stdout.split("\n").filter((file) => /\.tsx?$/.test(file));
    expect(files.length).toBeGreaterThan(500);
    const broken = files.flatMap((file) =>
      importsOf(readFileSync(join(projectRoot, file), "utf8")).flatMap((name) => {
        const because = violationOf(file, name);
        return because ? [`${file} imports ${name}: ${because}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });
});
