import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { Plan } from "@shared/contract/plans.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readBrand } from "@shared/domain/branding.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { messageEmailSchema } from "@shared/domain/message-email.ts";
import { readPlans } from "@shared/domain/plans.ts";
import { proofEmailSchema } from "@shared/domain/proof-email.ts";
import { type ResultsEmailData, resultsEmailDataSchema } from "@shared/domain/results-email.ts";
import { subscriptionEmailSchema } from "@shared/domain/subscription-email.ts";
import type { Brand } from "@shared/runtime/compose-email.ts";
import { isRefusedEmail, type Mail, type Mailer } from "@shared/runtime/mailer.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import {
  doubling,
  oneByOne,
  ServiceAwayError,
  type WorkHandler,
  type WorkItem,
} from "@shared/work/work-handler.ts";
import { z } from "zod";
import type { WorkerDeps } from "../worker-deps.ts";
import { messageEmail } from "./message-emails.ts";
import { proofRejectedEmail } from "./proof-emails.ts";
import { resultsEmail } from "./results-emails.ts";
import { subscriptionEmail } from "./subscription-emails.ts";

const emailSchema = z.union([
  subscriptionEmailSchema,
  proofEmailSchema,
  messageEmailSchema,
  resultsEmailDataSchema,
]);

/** Mail servers refuse many connections. */
const MAX_IN_FLIGHT = 5;

type EmailDeps = Pick<WorkerDeps, "database" | "logger" | "now"> & {
  mailer: Pick<Mailer, "send">;
  settings: Pick<DeliverySettings, "VITE_API_URL" | "CLIENT_ORIGIN" | "CHANNEL_SECRET">;
};

/** Sends emails about subscriptions, payments and results, each at least once. A refused one delays no other. */
export const sendSubscriptionEmails = (deps: EmailDeps): WorkHandler =>
  oneByOne(deps, {
    kind: SEND_EMAIL,
    concurrency: MAX_IN_FLIGHT,
    // After a refusal: less and less often, so that the mail server is not asked for nothing.
    retryDelayMs: doubling({ first: 4 * MINUTE_MS, max: 6 * HOUR_MS }),
    run: (item) => send(deps, item),
  });

const USER_FIELDS = {
  ...{ username: 1, email: 1, emailVerified: 1, resultsEmail: 1 },
  ...{ approved: 1, subscription: 1 },
} as const;

/** @throws ServiceAwayError unless the mail server may accept other emails */
async function send(
  { database, mailer, now, settings }: EmailDeps,
  { _id, data }: WorkItem,
): Promise<void> {
  const email = emailSchema.parse(data);
  const user = await database.users.findById(email.userId).select(USER_FIELDS).lean();
  const at = now();
  if (!user || at >= email.expiresAt) return;
  const { VITE_API_URL: apiUrl, CLIENT_ORIGIN, CHANNEL_SECRET } = settings;
  const [webUrl = apiUrl] = CLIENT_ORIGIN;
  const messageId = `<${_id}@${new URL(apiUrl).hostname}>`;
  const [brand, plans] = await Promise.all([readBrand(database), readPlans(database)]);
  const mail =
    email.kind === "monthly-results"
      ? await resultsEmail(database, email, { user, at, webUrl, apiUrl, brand, CHANNEL_SECRET })
      : compose(email, { user, at, webUrl, brand, plans });
  if (!mail) return;
  await mailer.send({ ...mail, messageId }).catch((error: unknown) => {
    if (isRefusedEmail(error)) throw error;
    throw new ServiceAwayError("The mail server could not be reached.", { cause: error });
  });
}

function compose(
  email: Exclude<z.infer<typeof emailSchema>, ResultsEmailData>,
  context: {
    user: Pick<UserRecord, "username" | "email">;
    at: Date;
    webUrl: string;
    brand: Brand;
    plans: readonly Plan[];
  },
): Mail {
  switch (email.kind) {
    case "proof-rejected":
      return proofRejectedEmail(email, context);
    case "message":
      return messageEmail(email, context);
    default:
      return subscriptionEmail(email, context);
  }
}
