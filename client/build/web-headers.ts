import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Settings } from "@shared/runtime/settings.ts";
// By its path, because Vite reads its configuration, which imports this file, without the alias.
import { SECURITY_HEADERS } from "../../shared/runtime/security-headers.ts";

/** What the web host says about the product. */
export type HostSettings = Pick<Settings, "VITE_API_URL" | "VITE_CONTACT_EMAIL" | "CLIENT_ORIGIN">;

export const WIDGET_PATH = "/widget.html";

/** Browsers hash a script with the line breaks of Unix. */
function widgetScriptHash(): string {
  const page = readFileSync(new URL("../public/widget.html", import.meta.url), "utf8");
  const [, script = ""] = /<script>(.*)<\/script>/s.exec(page.replaceAll("\r\n", "\n")) ?? [];
  return createHash("sha256").update(script).digest("base64");
}

/** The widgets: a script from one host, which adds frames of the others. */
const WIDGET_SCRIPTS = "https://s3.tradingview.com";
const WIDGET_FRAMES = "https://*.tradingview.com https://*.tradingview-widget.com";

/** Headers of the web pages and their files: pages may call their API and run their own scripts only. */
export function pageHeaders({ VITE_API_URL }: Pick<HostSettings, "VITE_API_URL">) {
  const api = new URL(VITE_API_URL).origin;
  return withPolicy([
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${api}`,
    `manifest-src ${api}`,
    "font-src 'self' data:",
    `connect-src 'self' ${api} ${api.replace(/^http/, "ws")}`,
    "object-src 'none'",
    "base-uri 'none'",
    `form-action 'self' ${api}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types service-worker",
  ]);
}

/**
 * Headers of the widget page. Its sandbox keeps the scripts of TradingView from the storage, the token and the API of the
 * pages, wherever the page is opened. Only our own pages may frame it, from which the sandbox makes it another origin.
 */
export const WIDGET_HEADERS: Record<string, string> = {
  ...withPolicy([
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    `script-src 'sha256-${widgetScriptHash()}' ${WIDGET_SCRIPTS}`,
    "style-src 'unsafe-inline'",
    `frame-src ${WIDGET_SCRIPTS} ${WIDGET_FRAMES}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ]),
  "X-Frame-Options": "SAMEORIGIN",
};

function withPolicy(policy: readonly string[]): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
  };
}

export const SECURITY_TXT_PATH = "/.well-known/security.txt";

/** Where to report a vulnerability (RFC 9116). It expires at the end of the year in which it is requested. */
export function securityTxt(
  { VITE_CONTACT_EMAIL, CLIENT_ORIGIN }: Omit<HostSettings, "VITE_API_URL">,
  year: number | string,
): string {
  const publicOrigin = CLIENT_ORIGIN.find((origin) => origin.startsWith("https:"));
  const lines = [
    `Contact: mailto:${VITE_CONTACT_EMAIL}`,
    `Expires: ${year}-12-31T23:59:59Z`,
    "Preferred-Languages: en",
  ];
  if (publicOrigin) lines.push(`Canonical: ${new URL(SECURITY_TXT_PATH, publicOrigin)}`);
  return `${lines.join("\n")}\n`;
}

/** The headers and `security.txt` as a part of a Caddyfile. */
export function caddySnippet(settings: HostSettings): string {
  return `@widget path ${WIDGET_PATH}
@page not path ${WIDGET_PATH}
${caddyHeaders("@widget", WIDGET_HEADERS)}
${caddyHeaders("@page", pageHeaders(settings))}
handle ${SECURITY_TXT_PATH} {
	header Content-Type "text/plain; charset=utf-8"
	respond "${securityTxt(settings, "{time.now.year}")}"
}
`;
}

function caddyHeaders(matcher: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `\t${name} "${value}"`);
  return [`header ${matcher} {`, ...lines, "\t-Server", "}"].join("\n");
}
