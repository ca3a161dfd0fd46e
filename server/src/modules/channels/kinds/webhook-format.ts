import type { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import type { FormatChange } from "@shared/contract/channel-kinds/webhook-formats.ts";
import { problemOfTemplate } from "@shared/contract/channel-kinds/webhook-template.ts";
import type { z } from "zod";
import { invalidField } from "./new-target.ts";

type StoredFormat = Pick<z.infer<typeof webhook.target>, "format" | "template" | "bot">;

/**
 * What a webhook is sent, with a change to it.
 * @throws AppError if its format lacks something
 */
export function changedFormat(
  stored: StoredFormat,
  { format = stored.format ?? "standard", template, bot_uuid, bot_secret }: FormatChange,
): StoredFormat {
  const text = template ?? stored.template;
  if (format === "template") assertTemplate(text);
  const uuid = bot_uuid ?? stored.bot?.uuid ?? "";
  const secret = bot_secret ?? stored.bot?.secret ?? "";
  return {
    format,
    ...(text && { template: text }),
    ...(uuid + secret && { bot: { uuid, secret } }),
  };
}

function assertTemplate(template: string | undefined): void {
  const problem = template ? problemOfTemplate(template) : "Enter a template.";
  if (problem) throw invalidField("template", problem);
}

export const changesFormat = ({ format, template, bot_uuid, bot_secret }: FormatChange): boolean =>
  [format, template, bot_uuid, bot_secret].some((field) => field !== undefined);
