// @ts-check

/** The market widgets: a script from one host, frames from the others. */
const WIDGET_SCRIPTS = "https://s3.tradingview.com";
const WIDGET_FRAMES = "https://*.tradingview.com https://*.tradingview-widget.com";

/**
 * Headers of every answer of the web host: the pages may talk to their API and show the market
 * widgets, and nothing else.
 *
 * @param {string} apiUrl address of the API host
 * @returns {Record<string, string>}
 */
export function securityHeaders(apiUrl) {
  const api = new URL(apiUrl).origin;
  const push = api.replace(/^http/, "ws");
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${WIDGET_SCRIPTS}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${api}`,
    "font-src 'self' data:",
    `connect-src 'self' ${api} ${push}`,
    `frame-src ${WIDGET_SCRIPTS} ${WIDGET_FRAMES}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  };
}
