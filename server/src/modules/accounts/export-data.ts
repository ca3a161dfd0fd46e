import { type Database, readEach } from "@shared/database/database.ts";
import { type FileKind, fileStore } from "@shared/database/file-bytes.ts";
import type { ChannelRecord, DeliveryRecord } from "@shared/database/models/channel.ts";
import type { PaymentProofRecord } from "@shared/database/models/payment.ts";
import { USERNAME_COLLATION } from "@shared/database/models/security-log.ts";
import type { SignalRecord, StoredFileRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { filePath } from "@shared/domain/file-store.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { presentProfile } from "@shared/domain/user-card.ts";
import { findNextKept, readEvents } from "@shared/outbox/event-log.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { type AuthenticatedSession, knownNetworks } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { presentDeliverySettings } from "../channels/delivery-settings.ts";
import { presentQuietHours } from "../channels/manage-channels.ts";
import { createSignPath } from "../files/signed-url.ts";
import { listApiKeys } from "./api-keys.ts";
import { listSessions } from "./own-account.ts";
import { presentResultsEmail } from "./results-email.ts";
import { presentTwoFactor } from "./two-factor.ts";

/**
 * What is stored about a user, as the text of a JSON file that is written while it is sent. It contains no secrets and no
 * names or addresses of others, such as the administrators who have changed the account.
 */
export async function* exportData(
  deps: ServerDeps,
  session: AuthenticatedSession,
): AsyncGenerator<string> {
  const { user } = session;
  const account = {
    ...presentProfile(user, deps.now()),
    created_at: user.createdAt,
    two_factor: presentTwoFactor(user),
    ...presentQuietHours(user),
    ...presentDeliverySettings(user),
    results_email: presentResultsEmail(user),
  };
  yield `{"exported_at":${JSON.stringify(deps.now())},\n"account":${JSON.stringify(account)}`;
  const lists = {
    ...listSessions(deps, session),
    api_keys: listApiKeys(user),
    sign_in_networks: knownNetworks(user, deps.now()).map(({ network, signedInAt }) => ({
      network,
      last_sign_in_at: signedInAt,
    })),
    ...storedLists(deps, user),
  };
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

function storedLists(deps: ServerDeps, user: UserRecord) {
  const { database } = deps;
  const { _id: userId, username, createdAt } = user;
  return {
    signals: presented(
      database.signals.find({ userId }).sort({ createdAt: 1, _id: 1 }).lean(),
      exportSignal,
    ),
    watchlist: presented(
      database.watchlistItems.find({ userId }).sort({ createdAt: 1 }).lean(),
      exportWatchlistItem,
    ),
    ...channelLists(database, userId),
    chart_images: withImages(deps, "chart_uploads", {
      files: readEach(database.chartImages.find({ userId }).sort({ createdAt: -1 }).lean()),
      present: (image) => ({ ...exportFile(image), signal_id: image.signalId }),
    }),
    payment_proofs: withImages(deps, "payment_proofs", {
      files: readEach(database.paymentProofs.find({ userId }).sort({ createdAt: -1 }).lean()),
      present: exportProof,
    }),
    billing_periods: presented(
      database.billingPeriods.find({ userId }).sort({ _id: 1 }).lean(),
      ({ plan, months, startedAt, endsAt, revokedAt, createdAt }) => ({
        plan,
        months,
        started_at: startedAt,
        ends_at: endsAt,
        revoked_at: revokedAt,
        paid_at: createdAt,
      }),
    ),
    credits: presented(
      database.creditEntries.find({ userId }).sort({ at: 1 }).lean(),
      ({ kind, amount, balance, why, signalId, at }) => {
        return { kind, amount, balance, why, signal_id: signalId, at };
      },
    ),
    events: keptEvents(database, user),
    // Someone else may have had the name before.
    security_log: presented(
      database.securityLog
        .find({ user: username, at: { $gte: createdAt } })
        .collation(USERNAME_COLLATION)
        .sort({ at: 1 })
        .lean(),
      ({ type, actor, address, device, details, at }) => {
        return { type, at, details, ...(actor === username && { address, device }) };
      },
    ),
  };
}

async function* presented<Stored, Shown>(
  query: Parameters<typeof readEach<Stored>>[0],
  present: (stored: Stored) => Shown,
) {
  for await (const stored of readEach(query)) yield present(stored);
}

/** Of the images of one kind. */
const MAX_IMAGE_BYTES = 15_000_000;

/**
 * Files with their images as data URLs, one in memory at a time. Of those that would make the file too large there are
 * addresses, which work for some minutes.
 */
async function* withImages<File extends StoredFileRecord, Shown extends object>(
  deps: ServerDeps,
  kind: FileKind,
  { files, present }: { files: AsyncIterable<File>; present: (file: File) => Shown },
) {
  const store = fileStore(deps.database, kind);
  const signPath = createSignPath(deps);
  let leftBytes = MAX_IMAGE_BYTES;
  for await (const file of files) {
    leftBytes -= file.size;
    const bytes = leftBytes >= 0 ? await store.read(file._id) : null;
    const image = bytes && `data:${file.contentType};base64,${bytes.toString("base64")}`;
    yield {
      ...present(file),
      image,
      ...(!image && { url: signPath(filePath(kind, file.filename)) }),
    };
  }
}

const EVENTS_AT_ONCE = 200;

async function* keptEvents(database: Database, { _id, lastEventSeq }: UserRecord) {
  const stream = userStream(_id);
  const first = (await findNextKept(database, { stream, after: 0 })) ?? lastEventSeq + 1;
  for (let after = first - 1; after < lastEventSeq; after += EVENTS_AT_ONCE) {
    for (const event of await readEvents(database, { stream, after, limit: EVENTS_AT_ONCE })) {
      const { seq, name, data, at } = event;
      yield { seq, name, data, at };
    }
  }
}

const exportWatchlistItem = (item: WatchlistItemRecord) => ({
  symbol: item.symbol,
  timeframe: item.timeframe,
  enabled: item.enabled,
  min_confidence: item.minConfidence,
  amount: item.amount,
  risk_percent: item.riskPercent,
  leverage: item.leverage,
  created_at: item.createdAt,
});

const channelLists = (database: Database, userId: UserRecord["_id"]) => ({
  channels: presented(
    database.channels.find({ userId }).sort({ createdAt: 1 }).lean(),
    exportChannel,
  ),
  deliveries: presented(
    database.deliveries.find({ userId }).sort({ channelId: 1, order: 1 }).lean(),
    exportDelivery,
  ),
});

/** Without its target, which contains secrets. */
const exportChannel = (channel: ChannelRecord) => ({
  id: channel._id,
  kind: channel.kind,
  label: channel.label,
  enabled: channel.enabled,
  events: channel.events,
  min_confidence: channel.minConfidence,
  created_at: channel.createdAt,
});

const exportDelivery = (delivery: DeliveryRecord) => ({
  id: delivery._id,
  channel_id: delivery.channelId,
  event: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  at: delivery.createdAt,
  response_status: delivery.responseStatus,
  error: delivery.error,
});

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

const exportProof = (proof: PaymentProofRecord) => ({
  ...exportFile(proof),
  sender_name: proof.senderName,
  plan: proof.plan,
  transaction_hash: proof.transactionHash,
});

const exportFile = ({ filename, contentType, size, createdAt }: StoredFileRecord) => ({
  filename,
  content_type: contentType,
  size,
  uploaded_at: createdAt,
});
