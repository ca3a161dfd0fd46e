import { PLANS } from "@shared/contract/plans.ts";
import type { SecurityEventType, SecurityLogEntry } from "@shared/contract/security-log.ts";
import { formatPlural } from "../../lib/format.ts";

type Details = SecurityLogEntry["details"];
type Describe = (user: string, details: Details, isOwn: boolean) => string;

const plural = (number: unknown, noun: string): string =>
  typeof number === "number" ? formatPlural(number, noun) : `some ${noun}s`;

const planName = (plan: unknown): string =>
  PLANS.find(({ id }) => id === plan)?.name ?? String(plan);

const withImages = (isAllowed: unknown): string =>
  isAllowed === true ? ", with image upload" : "";

const verified = (isAutomatic: unknown): string =>
  isAutomatic === true ? ", as the payment was verified automatically" : "";

const failures: Record<string, string> = {
  "invalid-password": "with a wrong password",
  "invalid-code": "with a wrong code",
};

const refusals: Record<string, string> = {
  "foreign-origin": "a request from another site",
  "file-not-allowed": "a file",
};

const jobActions: Record<string, string> = {
  requeue: "queued again",
  retry: "tried again",
  delete: "deleted",
  pause: "paused",
  resume: "resumed",
};

const withKey = (key: unknown): string => (key === undefined ? "" : ` with the API key ${key}…`);

const quoted = (text: unknown): string => (text ? `“${text}”` : "nothing");

/** With what the bench knew of it then. */
function describeChoice({ arm, ...known }: Details): string {
  if (arm === "settings") return "made the analyst of the settings the analyst again";
  const { analyses, decided, better_than: better, worse_than: worse, not_known: open } = known;
  const chosen = `made ${quoted(arm)} of the bench the analyst`;
  if (analyses === undefined) return `${chosen}, of which nothing was known`;
  return `${chosen}: ${String(analyses)} analyses, ${String(decided)} decided; better than ${String(better)}, worse than ${String(worse)}, not known for ${String(open)}`;
}

/** The label of each type of event, and a sentence to be read after the actor's name. */
export const securityEvents: Record<SecurityEventType, { label: string; describe: Describe }> = {
  "sign-in:succeeded": {
    label: "Sign-in",
    describe: (_, { second_factor }) => `logged in${second_factor ? " with a second factor" : ""}`,
  },
  "sign-in:failed": {
    label: "Failed sign-in",
    describe: (user, { reason }) =>
      reason === "unknown-user"
        ? "failed to log in with an unknown name"
        : `failed to log in as ${user} ${failures[String(reason)] ?? ""}`.trim(),
  },
  "sign-in:code-required": {
    label: "Password without code",
    describe: (user) => `entered the password of ${user} and was asked for a code`,
  },
  "session:ended": {
    label: "Session ended",
    describe: (user, { reason }, isOwn) => {
      if (reason === "expired") return "came back with an expired session";
      if (!isOwn) return `signed ${user} out everywhere`;
      return reason === "logged-out" ? "logged out" : "ended a session";
    },
  },
  "user:registered": { label: "Registration", describe: () => "registered" },
  "user:deleted": {
    label: "User deleted",
    describe: (user, _, isOwn) => (isOwn ? "deleted their account" : `deleted the user ${user}`),
  },
  "password:changed": {
    label: "Password changed",
    describe: () => "changed their password, which ended their other sessions and API keys",
  },
  "password:reset-requested": {
    label: "Password reset requested",
    describe: (user) => `requested a password reset for ${user}`,
  },
  "password:reset": {
    label: "Password reset",
    describe: () => "reset their password, which ended their sessions and API keys",
  },
  "two-factor:on": {
    label: "Second factor turned on",
    describe: () => "turned on two-factor authentication",
  },
  "two-factor:off": {
    label: "Second factor turned off",
    describe: () => "turned off two-factor authentication",
  },
  "recovery-code:used": { label: "Recovery code used", describe: () => "used a recovery code" },
  "reauthentication:failed": {
    label: "Wrong password or code",
    describe: (_, { route }) => `entered a wrong password or code for ${route}`,
  },
  "data:exported": { label: "Data downloaded", describe: () => "downloaded their data" },
  "api-key:created": {
    label: "API key created",
    describe: (_, { key, scopes }) => `created the API key ${key}… for ${scopes}`,
  },
  "api-key:ended": {
    label: "API key ended",
    describe: (_, { key }) => `ended the API key ${key}…`,
  },
  "role:changed": {
    label: "Role changed",
    describe: (user, { role }) =>
      `made ${user} ${role === "admin" ? "an administrator" : "a user"}, which ended their sessions`,
  },
  "approval:changed": {
    label: "Approval changed",
    describe: (user, { approved, undone }) => {
      const change = approved ? `approved ${user}` : `revoked the approval of ${user}`;
      return undone ? `${change} by undoing the last change` : change;
    },
  },
  "subscription:started": {
    label: "Subscription started",
    describe: (user, { plan, months, image_upload, automatic }) =>
      `started a subscription of ${user}: ${planName(plan)}, ${plural(months, "month")}${withImages(image_upload)}${verified(automatic)}`,
  },
  "subscription:renewed": {
    label: "Subscription renewed",
    describe: (user, { plan, months, image_upload, automatic }) =>
      `renewed the subscription of ${user}: ${planName(plan)}, ${plural(months, "month")}${withImages(image_upload)}${verified(automatic)}`,
  },
  "image-access:changed": {
    label: "Image upload changed",
    describe: (user, { allowed }) => `${allowed ? "allowed" : "blocked"} image upload for ${user}`,
  },
  "credits:granted": {
    label: "Credits changed",
    describe(user, { credits, image_credits }) {
      const isGrant = Number(credits) > 0;
      const number = plural(Math.abs(Number(credits)), "credit");
      return `${isGrant ? `granted ${number} to` : `took ${number} from`} ${user}, now ${image_credits}`;
    },
  },
  "payment-details:changed": {
    label: "Payment details changed",
    describe: (_, { field, before, after }) =>
      `changed ${field} of the payment details from ${quoted(before)} to ${quoted(after)}`,
  },
  "proof:rejected": {
    label: "Payment proof rejected",
    describe: (user, { reason, note }) =>
      `rejected the payment proof of ${user}: ${String(reason).replaceAll("-", " ")}${note === undefined ? "" : `, ${quoted(note)}`}`,
  },
  "branding:changed": {
    label: "Branding changed",
    describe: (_, { field, before, after }) =>
      field === "logo"
        ? `${after === "deleted" ? "deleted" : "changed"} the logo`
        : `changed the ${String(field).replaceAll("_", " ")} of the branding from ${quoted(before)} to ${quoted(after)}`,
  },
  "plan:changed": {
    label: "Plan changed",
    describe: (_, { plan, field, before, after }) =>
      `changed the ${field} of the ${planName(plan)} plan from ${quoted(before)} to ${quoted(after)}`,
  },
  "proof:deleted": {
    label: "Payment proof deleted",
    describe: (user) => `deleted the payment proof of ${user}`,
  },
  "chart-image:deleted": {
    label: "Chart image deleted",
    describe: (user, { images }) =>
      images === undefined
        ? `deleted a chart image of ${user}`
        : `deleted ${plural(images, "chart image")}`,
  },
  "history:cleared": {
    label: "History cleared",
    describe: (user, { signals }) => `deleted ${plural(signals, "signal")} of ${user}`,
  },
  "users:emailed": {
    label: "Users emailed",
    describe: (_, { users, subject }) => `emailed ${plural(users, "user")}: ${quoted(subject)}`,
  },
  "queue:opened": { label: "Job queue opened", describe: () => "opened the job queue" },
  "queue:changed": {
    label: "Jobs changed",
    describe: (_, { action, jobs, names }) =>
      `${jobActions[String(action)] ?? "changed"} ${plural(jobs, "job")} of the queue: ${names}`,
  },
  "channels:paused": {
    label: "Deliveries paused",
    describe: () => "paused the deliveries to all channels",
  },
  "telegram-channel:changed": {
    label: "Telegram channel changed",
    describe: (_, { enabled, markets }) =>
      `changed the Telegram channel: ${enabled ? "on" : "off"}, ${plural(markets, "market")}`,
  },
  "channels:resumed": {
    label: "Deliveries resumed",
    describe: () => "resumed the deliveries to all channels",
  },
  "analyst:chosen": {
    label: "Analyst chosen",
    describe: (_, details) => describeChoice(details),
  },
  "model:tested": { label: "AI model tested", describe: () => "tested the AI model" },
  "access:refused": {
    label: "Access refused",
    describe: (_, { route, reason, key }) =>
      `was refused ${refusals[String(reason)] ?? route}${withKey(key)}`,
  },
  "limit:exceeded": {
    label: "Limit exceeded",
    describe: (user, { route, key }) =>
      route === "POST /login"
        ? `tried to log in too often as ${user}`
        : `exceeded the limit of ${route}${withKey(key)}`,
  },
  "file:read": {
    label: "File read",
    describe: (user, { kind }) =>
      `read a ${kind === "payment_proofs" ? "payment proof" : "chart image"} of ${user}`,
  },
  "share-link:created": { label: "Share link created", describe: () => "shared a signal" },
  "share-link:ended": {
    label: "Share link ended",
    describe: () => "ended the link to a shared signal",
  },
};

const isKnown = (type: string): type is SecurityEventType => Object.hasOwn(securityEvents, type);

/** Describes an entry, to be read after the actor's name. A type of a newer server is shown as it is. */
export function securityLogSentence({ type, actor, user, details }: SecurityLogEntry): string {
  if (!isKnown(type)) return `${type} ${user ?? ""}`.trim();
  const isOwn = actor !== null && actor === user;
  return securityEvents[type].describe(user ?? "a user", details, isOwn);
}
