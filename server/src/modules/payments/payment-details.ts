import {
  type OfferedPayments,
  type PaymentDetails,
  paymentDetailsSchema,
} from "@shared/contract/payment.ts";
import type { Database } from "@shared/database/database.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { ClientSession } from "mongoose";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import { walletsOf } from "./wallets.ts";

const PAYMENT_FIELDS = paymentDetailsSchema.keyof().options;
const DOCUMENT = { _id: "payment-details" };
const NOTHING_YET = Object.fromEntries(PAYMENT_FIELDS.map((field) => [field, ""]));

/** All texts are empty until an administrator saves some. */
export async function readPaymentDetails(
  database: Database,
  session?: ClientSession,
): Promise<PaymentDetails> {
  const stored = await database.paymentDetails
    .findOne(DOCUMENT)
    .session(session ?? null)
    .lean();
  return paymentDetailsSchema.parse({ ...NOTHING_YET, ...stored });
}

/** What subscribers see: the payment details, and the addresses in the settings. */
export async function readOfferedPayments({
  database,
  settings,
}: ServerDeps): Promise<OfferedPayments> {
  const usdt = walletsOf(settings).map(({ network, address }) => ({ network, address }));
  return { ...(await readPaymentDetails(database)), ...(usdt.length > 0 && { usdt }) };
}

/** Keeps the last four digits of an account number. */
const maskNumbers = (text: string): string => text.replace(/\d(?=(?:[ -]?\d){4})/g, "•");

/** Changes the payment details. Omitted fields stay unchanged, and there is no event if nothing changes. */
export function updatePaymentDetails(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  update: Partial<PaymentDetails>,
): Promise<PaymentDetails> {
  const { database } = deps;
  return commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const { session, at } = uow;
    const before = await readPaymentDetails(database, session);
    const after = paymentDetailsSchema.parse({ ...before, ...update });
    const changed = PAYMENT_FIELDS.filter((field) => after[field] !== before[field]);
    if (changed.length === 0) return before;
    await database.paymentDetails.updateOne(
      DOCUMENT,
      { $set: { ...after, updatedAt: at } },
      { session, upsert: true },
    );
    for (const field of changed) {
      const details = {
        field,
        before: maskNumbers(before[field]),
        after: maskNumbers(after[field]),
      };
      uow.log({ type: "payment-details:changed", user: null, details });
    }
    uow.addEvent(ADMINS_STREAM, "payment-details:updated", after);
    return after;
  });
}
