import type { Migration } from "./migration.ts";

/** Trades that were finished before outcomes were judged are due at once. */
export const judgeEarlierSignals: Migration = {
  id: "2026-11-21-judge-earlier-signals",
  async up(db) {
    await db.collection("signals").updateMany(
      {
        status: "completed",
        "analysis.final_signal": { $in: ["BUY", "SELL"] },
        outcome: { $exists: false },
        judgeAt: { $exists: false },
      },
      [{ $set: { judgeAt: "$finishedAt" } }],
    );
  },
};
