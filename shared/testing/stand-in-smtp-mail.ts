import { EOL } from "node:os";

/** A mail as its recipient sees it. */
export interface ReceivedMail {
  /** Recipients of the envelope, in lower case. */
  to: string[];
  headers: Map<string, string>;
  text: string;
  html: string;
  /** The first address in the text. */
  link: string;
  /** The `token` in that address. */
  token: string;
}

/** Reads a message of one plain text part and one HTML part (RFC 2045, 2046); all that the product sends. */
export function readMail(raw: string, to: string[]): ReceivedMail {
  const { headers, body } = splitMessage(raw.replaceAll("\r\n", "\n"));
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1];
  if (boundary === undefined) throw new Error(`a mail without parts:${EOL}${raw}`);
  const parts = body.split(`--${boundary}`).slice(1, -1).map(splitMessage);
  const text = textOf(parts, "text/plain");
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  const token = URL.canParse(link) ? (new URL(link).searchParams.get("token") ?? "") : "";
  return { to, headers, text, html: textOf(parts, "text/html"), link, token };
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

function splitMessage(message: string): Part {
  const trimmed = message.replace(/^\n/, "");
  const end = trimmed.indexOf("\n\n");
  const lines = trimmed
    .slice(0, end)
    .replaceAll(/\n[ \t]+/g, " ")
    .split("\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: trimmed.slice(end + 2) };
}

function textOf(parts: Part[], type: string): string {
  const part = parts.find(({ headers }) => headers.get("content-type")?.startsWith(type));
  if (!part) throw new Error(`a mail without ${type}`);
  const encoding = part.headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(part.body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuotedPrintable(part.body) : part.body;
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replaceAll(/=\n/g, "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
