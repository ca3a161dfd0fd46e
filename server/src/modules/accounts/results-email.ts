import { FOLLOW_DEFAULTS, type ResultsEmail } from "@shared/contract/followed.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readBranding } from "@shared/domain/branding.ts";
import { lastMonthAt } from "@shared/domain/results-email.ts";
import type { ServerDeps } from "../../server-deps.ts";

export const presentResultsEmail = ({
  resultsEmail: email,
}: Pick<UserRecord, "resultsEmail">): ResultsEmail => ({
  monthly: email?.isOn ?? false,
  start_balance: email?.startBalance ?? FOLLOW_DEFAULTS.startBalance,
  risk_percent: email?.riskPercent ?? FOLLOW_DEFAULTS.riskPercent,
});

/** The first email after turning it on is about the month in which that is. */
export async function setResultsEmail(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { _id }: Pick<UserRecord, "_id">,
  setting: ResultsEmail,
): Promise<ResultsEmail> {
  const { time_zone: timeZone } = await readBranding(database);
  const known = "$resultsEmail.lastMonth";
  const lastMonth = {
    $cond: [
      { $eq: ["$resultsEmail.isOn", true] },
      known,
      { $max: [known, lastMonthAt(now(), timeZone)] },
    ],
  };
  const resultsEmail = {
    isOn: setting.monthly,
    startBalance: setting.start_balance,
    riskPercent: setting.risk_percent,
    lastMonth,
  };
  await database.users.updateOne({ _id }, [{ $set: { resultsEmail } }], { updatePipeline: true });
  return setting;
}
