import { type Database, nativeCollection } from "@shared/database/database.ts";
import { USERNAME_COLLATION } from "@shared/database/models/security-log.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { StoredFileRecord } from "@shared/database/models/stored-file.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { presentProfile } from "@shared/domain/user-card.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { listSessions } from "./account-sessions.ts";
import { presentTwoFactor } from "./two-factor.ts";

/**
 * What is stored about a user, as the text of a JSON file that is written while it is sent. It contains no secrets and no
 * names or addresses of others, such as the administrators who have changed the account.
 */
export async function* exportData(
  deps: Pick<ServerDeps, "database" | "now">,
  session: { user: UserRecord; sessionId: string },
): AsyncGenerator<string> {
  const { user } = session;
  const account = {
    ...presentProfile(user),
    created_at: user.createdAt,
    two_factor: presentTwoFactor(user),
  };
  yield `{"exported_at":${JSON.stringify(deps.now())},\n"account":${JSON.stringify(account)}`;
  const lists = { ...listSessions(deps, session), ...storedLists(deps.database, user) };
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n"${name}":[`;
    let separator = "\n";
    for await (const item of items) {
      yield separator + JSON.stringify(item);
      separator = ",\n";
    }
    yield "]";
  }
  yield "}\n";
}

function storedLists(database: Database, { _id: userId, username, createdAt }: UserRecord) {
  return {
    signals: nativeCollection(database.signals)
      .find({ userId })
      .sort({ createdAt: 1, _id: 1 })
      .map(exportSignal),
    chart_images: nativeCollection(database.chartImages)
      .find({ userId })
      .map((image) => ({ ...exportFile(image), signal_id: image.signalId })),
    payment_proofs: nativeCollection(database.paymentProofs)
      .find({ userId })
      .map((proof) => ({ ...exportFile(proof), sender_name: proof.senderName })),
    credits: nativeCollection(database.creditEntries)
      .find({ userId })
      .sort({ at: 1 })
      .map(({ kind, amount, balance, why, signalId, at }) => {
        return { kind, amount, balance, why, signal_id: signalId, at };
      }),
    events: nativeCollection(database.events)
      .find({ stream: userStream(userId) })
      .sort({ seq: 1 })
      .map(({ seq, name, data, at }) => ({ seq, name, data, at })),
    // Someone else may have had the name before.
    security_log: nativeCollection(database.securityLog)
      .find({ user: username, at: { $gte: createdAt } })
      .collation(USERNAME_COLLATION)
      .sort({ at: 1 })
      .map(({ type, actor, address, device, details, at }) => {
        return { type, at, details, ...(actor === username && { address, device }) };
      }),
  };
}

const exportSignal = (signal: SignalRecord) => ({
  ...presentSignal(signal),
  limit: signal.limit,
  amount: signal.amount,
  risk_percent: signal.riskPercent,
  leverage: signal.leverage,
  outcome: signal.outcome,
  finished_at: signal.finishedAt,
  shared_at: signal.sharedAt,
});

const exportFile = ({ filename, contentType, size, createdAt }: StoredFileRecord) => ({
  filename,
  content_type: contentType,
  size,
  uploaded_at: createdAt,
});
