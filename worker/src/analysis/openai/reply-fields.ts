import { rationaleSchema, rationaleText } from "@shared/contract/signal.ts";
import { z } from "zod";
import { plainText } from "./plain-text.ts";

const GROUPED = /^[-+]?\d{1,3}([,'_ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;
const PLAIN = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const CURRENCY = /^[$€£¥]\s*|\s*(?:USDT?|USDC)$/gi;

/** `64,250.5`, `$64 250.5` and `64250.5`; undefined for anything else. */
export function numberIn(text: string): number | undefined {
  const figure = text.trim().replaceAll(CURRENCY, "");
  if (PLAIN.test(figure)) return Number(figure);
  return GROUPED.test(figure) ? Number(figure.replaceAll(/[^\d.+-]/g, "")) : undefined;
}

const NO_VALUE = ["", "-", "n/a", "na", "none", "null", "nil"];
const isNoValue = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === "string" && NO_VALUE.includes(value.trim().toLowerCase()));

/** A number, or one in a text that `read` understands. */
export const numeric = (message: string, read: (text: string) => number | undefined) =>
  z
    .unknown()
    .optional()
    .transform((value, context): number => {
      const figure = typeof value === "string" ? read(value) : value;
      if (typeof figure === "number" && Number.isFinite(figure)) return figure;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    });

const price = numeric("must be a number or null", numberIn);
export const level = z
  .unknown()
  .optional()
  .transform((value, context): number | null => {
    if (isNoValue(value)) return null;
    const parsed = price.safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: "custom", message: "must be a number or null" });
    return z.NEVER;
  });

export const sentence = (value: unknown): string => {
  const rationale = rationaleSchema.safeParse(value);
  return plainText(rationale.success ? rationaleText(rationale.data) : String(value));
};

export const words = z
  .unknown()
  .optional()
  .transform((value) => (isNoValue(value) ? null : sentence(value)));

export const list = z
  .unknown()
  .optional()
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .transform((items) => items.filter((item) => !isNoValue(item)).map(sentence));
