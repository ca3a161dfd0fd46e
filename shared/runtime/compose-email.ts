import { html } from "./html.ts";
import type { Mail } from "./mailer.ts";

export interface AccountEmail {
  to: string;
  username: string;
  link: string;
}

export interface Wording {
  subject: string;
  request: string;
  /** Rows of a table: a label and its value. */
  facts?: readonly (readonly [label: string, value: string])[];
  /** A list, after the facts. */
  points?: readonly { text: string; link?: string }[];
  button: string;
  note: string;
  /** A second link, after the note. */
  other?: { label: string; link: string };
}

/** How emails and messages present the product. */
export interface Brand {
  name: string;
  /** Whether the operator has given the product this name. */
  isOwnName: boolean;
  /** Colours of a filled button; links have that of its ground. */
  button: string;
  onButton: string;
  /** A time in the operator's time zone, such as 31 March 2026 at 10:00 UTC. */
  formatTime(time: Date): string;
}

interface BrandFacts extends Partial<Omit<Brand, "formatTime">> {
  name: string;
  timeZone?: string;
}

export function brandWith({ timeZone = "UTC", ...facts }: BrandFacts): Brand {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "long",
    timeStyle: "short",
    timeZone,
  });
  const zone = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" });
  const zoneOf = (time: Date) =>
    zone.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  return {
    isOwnName: false,
    button: "#1a56db",
    onButton: "#ffffff",
    ...facts,
    formatTime: (time) => `${format.format(time)} ${zoneOf(time)}`,
  };
}

/** The product's own, in UTC. */
export const DEFAULT_BRAND = brandWith({ name: "AI Trading Signals" });

/** An email with a greeting, a sentence or more, a button and a note. */
export function composeEmail(
  invitation: AccountEmail,
  wording: Wording,
  brand: Brand = DEFAULT_BRAND,
): Mail {
  const { to, link } = invitation;
  return {
    to,
    link,
    subject: wording.subject,
    text: asText(invitation, wording, brand),
    html: asHtml(invitation, wording, brand),
  };
}

function asText({ username, link }: AccountEmail, wording: Wording, brand: Brand): string {
  const { request, facts = [], points = [], note, other } = wording;
  const rows = facts.map(([label, value]) => `${label}: ${value}`);
  const items = points.map((point) => [`- ${point.text}`, point.link ?? []].flat().join("\n  "));
  return `${[
    `Hello ${username},`,
    request,
    ...(rows.length > 0 ? [rows.join("\n")] : []),
    ...(items.length > 0 ? [items.join("\n")] : []),
    link,
    note,
    ...(other ? [`${other.label}:\n${other.link}`] : []),
    brand.name,
  ].join("\n\n")}\n`;
}

/** Styles are inline because email clients drop style sheets. */
function asHtml({ username, link }: AccountEmail, wording: Wording, brand: Brand): string {
  const { request, facts = [], points = [], button, note, other } = wording;
  return html`<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2330;font-family:Arial,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p>Hello ${username},</p>
<p style="white-space:pre-line">${request}</p>
${facts.length > 0 ? factsTable(facts) : ""}
${points.length > 0 ? html`<ul style="padding-left:20px">${points.map((point) => listItem(point, brand))}</ul>` : ""}
<p><a href="${link}" style="display:inline-block;padding:12px 20px;background:${brand.button};color:${brand.onButton};border-radius:6px;text-decoration:none">${button}</a></p>
<p style="font-size:14px;color:#4b5563">${note}</p>
${other ? html`<p style="font-size:14px"><a href="${other.link}" style="color:${brand.button}">${other.label}</a></p>` : ""}
<p style="font-size:14px;color:#4b5563;overflow-wrap:anywhere">If the button does not work, open this link:<br>${link}</p>
<p style="font-size:14px;color:#4b5563">${brand.name}</p>
</div>
</body>
</html>
`.text;
}

const CELL = "padding:6px 0;border-bottom:1px solid #e5e7eb;vertical-align:top";

const factsTable = (facts: NonNullable<Wording["facts"]>) =>
  html`<table style="width:100%;border-collapse:collapse">${facts.map(
    ([label, value]) =>
      html`<tr><th scope="row" style="${CELL};text-align:left;font-weight:normal;color:#4b5563">${label}</th><td style="${CELL};text-align:right">${value}</td></tr>`,
  )}</table>`;

const listItem = ({ text, link }: NonNullable<Wording["points"]>[number], brand: Brand) =>
  html`<li style="margin-bottom:6px">${link === undefined ? text : html`<a href="${link}" style="color:${brand.button}">${text}</a>`}</li>`;
