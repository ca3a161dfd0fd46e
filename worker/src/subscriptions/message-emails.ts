import { DASHBOARD } from "@shared/contract/events/account-events.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { MessageEmail } from "@shared/domain/message-email.ts";
import { type Brand, composeEmail, DEFAULT_BRAND } from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";

/** The email with what an administrator wrote to a user. */
export function messageEmail(
  { subject, text }: Pick<MessageEmail, "subject" | "text">,
  context: { user: Pick<UserRecord, "email" | "username">; webUrl: string; brand?: Brand },
): Mail {
  const { user, webUrl, brand = DEFAULT_BRAND } = context;
  const { email: to, username } = user;
  return composeEmail(
    { to, username, link: new URL(DASHBOARD.path, webUrl).href },
    {
      subject,
      request: text,
      button: DASHBOARD.button,
      note: `You get this email because you have an account with ${brand.name}.`,
    },
    brand,
  );
}
