import { meSchema } from "@shared/contract/account.ts";
import type { CreditEntryRecord } from "@shared/node/models/credit-entry.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import { expectAnswer } from "../stage/api.ts";
import type { Stage } from "../stage/stage.ts";

/**
 * The ledger of credits adds up to every balance, as stored and as REST tells it; every signal with a picture was paid
 * for once, and paid back once if no analysis came of it, else never.
 */
export async function creditsAddUp(stage: Stage): Promise<string[]> {
  const entries = await stage.database.creditEntries.find().lean();
  const signals = await stage.database.signals.find({ chartImageId: { $exists: true } }).lean();
  const known = new Set(signals.map(({ _id }) => _id.toString()));
  return [
    ...(await balanceFaults(stage, entries)),
    ...signals.flatMap((signal) => paymentFaults(signal, entries)),
    ...entries
      .filter(({ signalId }) => signalId && !known.has(signalId.toString()))
      .map(({ signalId, kind }) => `a ${kind} for ${signalId}, which is no signal with a picture`),
  ];
}

async function balanceFaults(
  { database, traders, servers }: Stage,
  entries: readonly CreditEntryRecord[],
): Promise<string[]> {
  const users = await database.users.find().lean();
  const faults: string[] = [];
  for (const { _id, username, imageCredits } of users) {
    const own = entries.filter(({ userId }) => userId.equals(_id));
    const sum = own.reduce((total, { amount }) => total + amount, 0);
    if (sum !== imageCredits)
      faults.push(`${username} has ${imageCredits} credits, the ledger ${sum}`);
    const trader = traders.find((one) => one.username === username);
    if (!trader) continue;
    const call = { via: servers.a, path: "/me", token: trader.token };
    const shown = (await expectAnswer(call, meSchema)).image_credits;
    if (shown !== imageCredits)
      faults.push(`REST shows ${shown} credits of ${username}, not ${imageCredits}`);
  }
  return faults;
}

function paymentFaults(signal: SignalRecord, entries: readonly CreditEntryRecord[]): string[] {
  const own = entries.filter(({ signalId }) => signalId?.equals(signal._id));
  const sumOf = (kind: string) =>
    own.filter((entry) => entry.kind === kind).map(({ amount }) => amount);
  const isAnalysed = signal.status === "completed" && signal.analysis?.source.analyst !== "none";
  const expected = isAnalysed ? "-1 / " : "-1 / 1";
  const found = `${sumOf("spend").join("+")} / ${sumOf("refund").join("+")}`;
  return found === expected
    ? []
    : [`signal ${signal._id} (${signal.status}) was paid and paid back ${found}, not ${expected}`];
}
