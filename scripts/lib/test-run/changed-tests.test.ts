import { describe, expect, it } from "vitest";
import { testsOf } from "./changed-tests.ts";

const IMPORTS = new Map(
  Object.entries({
    "client/src/app/routes.tsx": ["client/src/features/history/history-page.tsx"],
    "client/src/testing/open-app.tsx": ["client/src/app/routes.tsx"],
    "client/src/app/routes.test.tsx": ["client/src/testing/open-app.tsx"],
    "client/src/features/history/history-page.tsx": ["client/src/lib/format.ts"],
    "client/src/features/history/history-page.test.tsx": ["client/src/testing/open-app.tsx"],
    "client/src/features/bot/bot-page.test.tsx": ["client/src/testing/open-app.tsx"],
    "client/src/lib/format.ts": [],
    "client/src/lib/format.test.ts": ["client/src/lib/format.ts"],
    "server/src/app.ts": ["server/src/modules/watchlist/watchlist.ts"],
    "server/src/modules/watchlist/watchlist.ts": ["shared/domain/watched.ts"],
    "server/src/modules/watchlist/routes.test.ts": ["server/src/app.ts"],
    "server/src/modules/users/routes.test.ts": ["server/src/app.ts"],
    "server/src/modules/users/export-data.ts": ["server/src/modules/watchlist/watchlist.ts"],
    "server/src/modules/users/export-data.test.ts": ["server/src/modules/users/export-data.ts"],
    "shared/domain/watched.ts": [],
    "shared/domain/watched.test.ts": ["shared/domain/watched.ts"],
    "scripts/lint/import-boundaries.test.ts": [],
  }),
);
const LINT = "scripts/lint/import-boundaries.test.ts";

describe("the tests of what changed", () => {
  it.each([
    {
      what: "a page has those of its feature",
      changed: "client/src/features/history/history-page.tsx",
      tests: ["client/src/features/history/history-page.test.tsx", LINT],
    },
    {
      what: "a module has its own and those of a module that imports it",
      changed: "server/src/modules/watchlist/watchlist.ts",
      tests: [
        "server/src/modules/watchlist/routes.test.ts",
        "server/src/modules/users/export-data.test.ts",
        LINT,
      ],
    },
    {
      what: "shared code has those of everything that imports it",
      changed: "shared/domain/watched.ts",
      tests: [
        "server/src/modules/users/export-data.test.ts",
        "shared/domain/watched.test.ts",
        LINT,
      ],
    },
    {
      what: "what puts the pages together has those of all pages",
      changed: "client/src/app/routes.tsx",
      tests: [
        "client/src/app/routes.test.tsx",
        "client/src/features/history/history-page.test.tsx",
        "client/src/features/bot/bot-page.test.tsx",
        LINT,
      ],
    },
    {
      what: "a test has itself",
      changed: "client/src/lib/format.test.ts",
      tests: ["client/src/lib/format.test.ts", LINT],
    },
  ])("$what", ({ changed, tests }) => {
    expect(testsOf([changed], IMPORTS)).toEqual(tests);
  });
});
