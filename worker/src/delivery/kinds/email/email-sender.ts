import { channelRoutes } from "@shared/contract/routes/channel-routes.ts";
import { readBrand } from "@shared/domain/branding.ts";
import { type Brand, composeEmail } from "@shared/runtime/compose-email.ts";
import type { Mail, Mailer } from "@shared/runtime/mailer.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { createMailer } from "../../../worker-mailer.ts";
import type {
  ChannelMessage,
  ChannelSender,
  DeliveryDeps,
  KindDeps,
  SendResult,
} from "../../channel-sender.ts";
import { describeMessage, type NamedSignals, readNamedSignals } from "../../describe-message.ts";

/** Mail servers refuse many connections. */
const MAX_IN_FLIGHT = 10;

interface EmailDeps extends Pick<DeliveryDeps, "database" | "secrets"> {
  mailer: Mailer;
  settings: Pick<DeliverySettings, "VITE_API_URL" | "CLIENT_ORIGIN">;
}

/** Without a mail server, emails are written to files outside production, and not sent in it. */
export function startEmail(deps: KindDeps): ChannelSender | null {
  const mailer = createMailer(deps);
  if (mailer) return emailSender({ ...deps, mailer });
  deps.logger.error("no emails are delivered to channels: SMTP_URL is not set");
  return null;
}

/** Sends messages as emails, which can be turned off with one click (RFC 8058). */
export function emailSender(deps: EmailDeps): ChannelSender {
  const { VITE_API_URL: apiUrl, CLIENT_ORIGIN } = deps.settings;
  const [webUrl = apiUrl] = CLIENT_ORIGIN;
  return {
    maxInFlight: MAX_IN_FLIGHT,
    async send(message) {
      const signals = await readNamedSignals(deps.database, message);
      const brand = await readBrand(deps.database);
      const token = deps.secrets.unsubscribeToken(message.channelId);
      const mail = {
        ...channelEmail(message, { webUrl, token, signals, brand }),
        messageId: `<${message.id}@${new URL(apiUrl).hostname}>`,
        unsubscribeUrl: `${apiUrl}${channelRoutes.unsubscribe.path}?token=${token}`,
      };
      return deps.mailer.send(mail).then(() => DELIVERED, notSent);
    },
  };
}

const DELIVERED: SendResult = { outcome: "delivered", responseStatus: null, error: null };

const failureSchema = z.object({
  cause: z.object({ responseCode: z.number().optional(), code: z.string().optional() }),
});

/** The text of the mail server's response is not stored, as it may contain addresses. */
function notSent(error: unknown): SendResult {
  const { responseCode: status, code } = failureSchema.safeParse(error).data?.cause ?? {};
  if (status !== undefined) {
    const error = `The mail server answered with ${status}.`;
    return { outcome: "retry", responseStatus: status, error };
  }
  const detail = code === undefined ? "" : ` (${code})`;
  const unreached = `The mail server could not be reached${detail}.`;
  return { outcome: "retry", responseStatus: null, error: unreached };
}

function channelEmail(
  message: ChannelMessage,
  context: { webUrl: string; token: string; signals: NamedSignals; brand: Brand },
): Mail {
  const { webUrl, token, signals, brand } = context;
  const { username, email: to } = message.user;
  const described = describeMessage(message, signals, brand);
  const { subject, text, levels = [], facts = [], points = [], path, button } = described;
  const page = (address: string) => new URL(address, webUrl).href;
  return composeEmail(
    { to, username, link: page(path) },
    {
      subject,
      button,
      note: noteOf(message),
      request: [`${subject}.`, text ?? []].flat().join(" "),
      facts: [...levels, ...facts],
      points: points.map((point) => ({
        text: point.text,
        ...(point.path && { link: page(point.path) }),
      })),
      other: { label: "Turn these emails off", link: page(`/unsubscribe?token=${token}`) },
    },
    brand,
  );
}

const noteOf = ({ type }: ChannelMessage): string =>
  type.startsWith("signal.") || type === "channel.summary"
    ? "Signals are not financial advice. You can lose money."
    : "You get this email because you have added an email channel to your account.";
