import { type Followed, followedQuerySchema, followedVerdict } from "@shared/contract/followed.ts";
import { channelRoutes } from "@shared/contract/routes/channel-routes.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess } from "@shared/domain/access.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { readFollowed } from "@shared/domain/followed-account.ts";
import { type ResultsEmailData, rangeOf } from "@shared/domain/results-email.ts";
import { type Brand, composeEmail } from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";

interface Context {
  user: Pick<
    UserRecord,
    "_id" | "username" | "email" | "emailVerified" | "approved" | "subscription" | "resultsEmail"
  >;
  at: Date;
  webUrl: string;
  apiUrl: string;
  brand: Brand;
  /** Without it, the email has no link that turns it off without a login. */
  CHANNEL_SECRET: string | undefined;
}

/**
 * What an account would have done that had followed the user's signals of a month.
 * @returns null if the user does not want or may not get it any more, or no trade has ended
 */
export async function resultsEmail(
  database: Database,
  { month }: Pick<ResultsEmailData, "month">,
  context: Context,
): Promise<Mail | null> {
  const { user, at } = context;
  const { resultsEmail: wanted } = user;
  if (!wanted?.isOn || !user.emailVerified || !hasAccess(user, at)) return null;
  const { since, until } = rangeOf(month);
  const query = {
    since: since.toISOString(),
    until: until.toISOString(),
    start_balance: wanted.startBalance,
    risk_percent: wanted.riskPercent,
  };
  const followed = await readFollowed(database, user, followedQuerySchema.parse(query));
  if (followed.trades === 0) return null;
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  const link = new URL(`/results?${params}`, context.webUrl).href;
  return write(followed, {
    ...context,
    link,
    month: monthName.format(since),
    risk: wanted.riskPercent,
  });
}

const monthName = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

interface Shown extends Context {
  link: string;
  month: string;
  risk: number;
}

function write(followed: Followed, shown: Shown): Mail {
  const { user, webUrl, apiUrl, brand, link, month, risk, CHANNEL_SECRET: secret } = shown;
  const token = secret && new ChannelSecrets(secret).unsubscribeToken(user._id.toString());
  const { start_balance: start, end_balance: end } = followed;
  const off = token ? `/unsubscribe?token=${token}` : `/results#${MONTHLY_EMAIL}`;
  const mail = composeEmail(
    { to: user.email, username: user.username, link },
    {
      subject: `If you had followed your signals of ${month}`,
      request: [
        `An account that had followed your signals of ${month} (UTC), with ${formatUsd(start)} at the start and a risk of ${risk}% ` +
          `per trade, would have ended with ${formatUsd(end)}. That is after trading costs and, for crypto, funding.`,
        comparison(followed),
        ...limits(followed),
      ].join("\n\n"),
      facts: factsOf(followed),
      button: "See the results",
      note:
        "Past results say nothing certain about future ones. Signals are not financial advice. You can lose money. You get this " +
        "email because you have turned it on.",
      other: { label: "Turn this email off", link: new URL(off, webUrl).href },
    },
    brand,
  );
  if (!token) return mail;
  return { ...mail, unsubscribeUrl: `${apiUrl}${channelRoutes.unsubscribe.path}?token=${token}` };
}

/** Of the switch on the page. */
const MONTHLY_EMAIL = "monthly-email";

function comparison(followed: Followed): string {
  const { random } = followed;
  if (!random) return followedVerdict(followed);
  const { low, high } = random;
  return (
    `As many entries at random with the same levels, costs and funding end between ${formatUsd(low)} and ${formatUsd(high)} in 95 % of ` +
    `cases. ${followedVerdict(followed)} Nothing is claimed beyond it.`
  );
}

function limits({
  demo_trades: demo,
  without_funding: unfunded,
  skipped,
  truncated,
}: Followed): string[] {
  const pending = skipped.find(({ reason }) => reason === "pending")?.count ?? 0;
  return [
    ...(demo > 0
      ? [
          `Made with demo data, which is recorded prices shifted to the present: ${demo} of these trades. They say nothing about a real market.`,
        ]
      : []),
    ...(pending > 0
      ? [
          `Not ended yet, and not included: ${pending} of your signals. The page has them once they have ended.`,
        ]
      : []),
    ...(unfunded > 0
      ? [`Without funding, as its rate is not known: ${unfunded} of these trades.`]
      : []),
    ...(truncated ? ["Only your newest 10,000 signals are included."] : []),
  ];
}

function factsOf(followed: Followed): [label: string, value: string][] {
  const { start_balance: start, end_balance: end, trades, wins, holding, random } = followed;
  const { funding } = followed;
  return [
    ["End balance", `${formatUsd(end)} (${signed.format(((end - start) / start) * 100)}%)`],
    ["Trades", `${trades}, ${wins} with a profit`],
    ["Result", `${signed.format(followed.total_r)} R`],
    ["Largest drawdown", `${followed.max_drawdown_percent}%`],
    ...(funding === 0 ? [] : [fundingFact(funding)]),
    ...(holding
      ? [["Holding the same markets", formatUsd(holding.end_balance)] satisfies [string, string]]
      : []),
    ...(random
      ? [["Entries at random, in the middle", formatUsd(random.median)] satisfies [string, string]]
      : []),
  ];
}

const fundingFact = (funding: number): [label: string, value: string] => [
  funding < 0 ? "Funding paid" : "Funding received",
  formatUsd(Math.abs(funding)),
];

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const formatUsd = (usd: number): string => dollars.format(usd);
const signed = new Intl.NumberFormat("en-US", {
  signDisplay: "exceptZero",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
