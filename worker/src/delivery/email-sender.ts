import { channelRoutes } from "@shared/contract/routes/channel-routes.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelSecrets } from "@shared/runtime/channel-secrets.ts";
import type { Mailer } from "@shared/runtime/mailer.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { channelEmail, signalIdsOf } from "./channel-email.ts";
import type { ChannelSender, SendResult } from "./channel-sender.ts";
import type { EventSignal } from "./describe-event.ts";

/** At a time and worker: mail servers refuse many connections. */
const MAX_IN_FLIGHT = 10;

interface EmailDeps {
  database: Database;
  mailer: Mailer;
  secrets: ChannelSecrets;
  settings: Pick<DeliverySettings, "VITE_API_URL" | "CLIENT_ORIGIN">;
}

/** Sends messages as emails, which can be turned off with one click (RFC 8058). */
export function emailSender(deps: EmailDeps): ChannelSender {
  const { VITE_API_URL: apiUrl, CLIENT_ORIGIN } = deps.settings;
  const [webUrl = apiUrl] = CLIENT_ORIGIN;
  const places = new Places(MAX_IN_FLIGHT);
  return {
    async send(message, abort) {
      const signals = await readSignals(deps.database, signalIdsOf(message));
      const token = deps.secrets.unsubscribeToken(message.channelId);
      const mail = {
        ...channelEmail(message, { webUrl, token, signals }),
        messageId: `<${message.id}@${new URL(apiUrl).hostname}>`,
        unsubscribeUrl: new URL(`${channelRoutes.unsubscribe.path}?token=${token}`, apiUrl).href,
      };
      return places.run(async () => {
        if (abort.aborted) return NO_RESPONSE;
        return deps.mailer.send(mail).then(() => DELIVERED, notSent);
      });
    },
  };
}

const DELIVERED: SendResult = { outcome: "delivered", responseStatus: null, error: null };
const NO_RESPONSE: SendResult = {
  ...{ outcome: "retry", responseStatus: null, error: "There was no response in time." },
};

const failureSchema = z.object({
  cause: z.object({ responseCode: z.number().optional(), code: z.string().optional() }),
});

/** The text of the mail server's response is not stored, as it may contain addresses. */
function notSent(error: unknown): SendResult {
  const { responseCode: status, code } = failureSchema.safeParse(error).data?.cause ?? {};
  if (status !== undefined) {
    const answered = `The mail server answered with ${status}.`;
    return { outcome: "retry", responseStatus: status, error: answered };
  }
  const detail = code === undefined ? "" : ` (${code})`;
  const unreached = `The mail server could not be reached${detail}.`;
  return { outcome: "retry", responseStatus: null, error: unreached };
}

/** Runs a limited number of tasks at a time. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Signals by id, with what the market made of them. Deleted ones are missing. */
async function readSignals(
  { signals, marketAnalyses }: Database,
  ids: readonly string[],
): Promise<Map<string, EventSignal>> {
  if (ids.length === 0) return new Map();
  const found = await signals
    .find({ _id: { $in: ids } })
    .select({ symbol: 1, timeframe: 1, analysis: 1, analysisId: 1 })
    .lean();
  const resolved = await marketAnalyses
    .find({ _id: { $in: found.map(({ analysisId }) => analysisId) }, outcome: { $exists: true } })
    .select({ resolution: 1 })
    .lean();
  return new Map(
    found.map(({ _id, analysisId, ...signal }) => {
      const resolution = resolved.find((market) => market._id.equals(analysisId))?.resolution;
      return [_id.toString(), { ...signal, resolution }];
    }),
  );
}
