import { createHash } from "node:crypto";
import type { NewChannel } from "@shared/contract/channels.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { assertPublicUrl, RefusedAddressError } from "@shared/domain/public-address.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../../server-deps.ts";

/** Where the messages of a new channel go. */
export interface NewTarget extends Pick<ChannelRecord, "target" | "label" | "uniqueKey" | "link"> {
  /** Says in an email to the owner of the account what was added. */
  notice: string;
  /** For the response only. */
  shown?: { secret?: string; link?: string };
}

/**
 * Checks what a user has entered for a channel of a kind, which parses it with its own `input`.
 * @throws AppError
 */
export type MakeTarget = (
  deps: ServerDeps,
  input: NewChannel,
  user: Pick<UserRecord, "email" | "emailVerified">,
) => NewTarget | Promise<NewTarget>;

export const secretsOf = ({ settings }: Pick<ServerDeps, "settings">): ChannelSecrets =>
  new ChannelSecrets(settings.CHANNEL_SECRET);

/** @throws AppError if messages must not be sent to this address */
export async function assertCallable(
  { settings, resolveHost }: ServerDeps,
  url: string,
  field: string,
): Promise<URL> {
  try {
    return await assertPublicUrl(url, {
      allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE === "on",
      ...(resolveHost && { resolve: resolveHost }),
    });
  } catch (error) {
    if (error instanceof RefusedAddressError) throw invalidField(field, error.message);
    throw error;
  }
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const invalidField = (field: string, message: string) =>
  new AppError("invalid-input", message, { errors: [{ field, message }] });

export const notConfigured = (what: string) =>
  new AppError("channel-unavailable", `${what} is not set up on this service.`);
