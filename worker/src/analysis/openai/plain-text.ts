import { TOP_LEVEL_DOMAINS } from "./top-level-domains.ts";

/**
 * What a model has written, as text that can be shown and sent everywhere: without characters that are invisible or change the
 * direction of others, and without what browsers, mail programs and messengers turn into links. Other text stays as it is.
 */
export function plainText(text: string): string {
  let plain = visible(text);
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = visible(withoutLinks(plain));
    if (next === plain) break;
    plain = next;
  }
  return plain;
}

/** What is left of an address may look like another one, or leave a joiner without what it joined. */
const MAX_PASSES = 5;

/** Arabic and Kaithi signs that are written before numbers are the only visible ones of their category. */
const INVISIBLE =
  /(?!\n|\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}]|[\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0d]|[\u{e0100}-\u{e01ef}]/gu;

/** Scripts in which joiners change how letters look, and emoji that consist of several. */
const JOINED = String.raw`[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}\p{Mark}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
const IDLE_JOINER = new RegExp(
  String.raw`(?<!${JOINED})[\u200c\u200d]|[\u200c\u200d](?!${JOINED})`,
  "gu",
);

const visible = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll(/[\t\v\f]/g, " ")
    .replaceAll(INVISIBLE, "")
    .replaceAll(IDLE_JOINER, "");

const REMOVED = "[link removed]";

const LETTER = String.raw`[\p{L}\p{Nd}\p{M}]`;
const LABEL = `${LETTER}(?:-*${LETTER})*`;
/** The last three are dots to browsers. */
const DOT = String.raw`[.\u3002\uff0e\uff61]`;
/** Port and path. */
const REST = /(?::\d{1,5})?(?:[/?#]\S*)?/uy;

/** Addresses that cannot be anything else. */
const ADDRESSES = [
  // A scheme, and what Windows opens as a share.
  String.raw`\p{L}[\p{L}\p{N}+.-]{0,40}:[/\\]{2}\S*`,
  String.raw`\\\\${LABEL}\S*`,
  String.raw`\b(?:mailto|tel|sms|tg|javascript|vbscript|callto|skype|facetime|whatsapp|xmpp|sips?|steam|intent|magnet|view-source):[^\s,;]+`,
  String.raw`\bdata:[a-z]+/[a-z0-9.+-]+[;,]\S*`,
  String.raw`[^\s@<>()[\]"',;:]{1,64}@(?:${LABEL}${DOT})+\p{L}${LETTER}+`,
  String.raw`\bwww\d{0,3}${DOT}\S+`,
].map((pattern) => new RegExp(pattern, "giu"));

const HOST = new RegExp(`(?=${LETTER})(?<!${LETTER}-*)${LABEL}(?:${DOT}${LABEL})+`, "gu");

const PUNCTUATION = new Set(`)]}>"'’”.,;:!?`);

/** The punctuation at its end belongs to the sentence. */
function removed(address: string): string {
  let end = address.length;
  while (PUNCTUATION.has(address.charAt(end - 1))) end -= 1;
  return REMOVED + address.slice(end);
}

/** Every address has one of these. Most texts have none, and long words take long to search. */
const SIGN_OF_ADDRESS = /[.:/\\@\u3002\uff0e\uff61]/;

function withoutLinks(text: string): string {
  if (!SIGN_OF_ADDRESS.test(text)) return text;
  let rest = text;
  for (const address of ADDRESSES) {
    rest = rest.replaceAll(address, (found) => removed(found));
  }
  return (
    withoutHosts(rest)
      // Messengers link names after an at sign, and commands of bots after a slash.
      .replaceAll(/(?<![\p{L}\p{N}\p{M}_.])@(?=[\p{L}_])/gu, "")
      .replaceAll(/(?<![\p{L}\p{N}\p{M}_/<>])\/(?=\p{L})/gu, "/ ")
  );
}

function withoutHosts(text: string): string {
  let plain = "";
  let end = 0;
  for (const { 0: host, index } of text.matchAll(HOST)) {
    if (index < end) continue;
    const address = host + (mayBeHost(host) ? restAt(text, index + host.length) : "");
    plain += text.slice(end, index) + withoutHost(host, address);
    end = index + address.length;
  }
  return plain + text.slice(end);
}

function restAt(text: string, index: number): string {
  REST.lastIndex = index;
  return REST.exec(text)?.[0] ?? "";
}

const labelsOf = (host: string): string[] => host.normalize("NFKC").split(/[.\u3002\uff61]/);

const mayBeHost = (host: string): boolean =>
  isIpv4(labelsOf(host)) || labelsOf(host).slice(1).some(isTopLevel);

function withoutHost(host: string, address: string): string {
  if (!mayBeHost(host)) return host;
  const last = labelsOf(host).at(-1) ?? "";
  // A sentence without a blank before the next one, or the symbol of a share.
  const isOrdinary = last !== last.toLowerCase() || (!isTopLevel(last) && !isIpv4(labelsOf(host)));
  if (address !== host || !isOrdinary) return removed(address);
  return host.replaceAll(new RegExp(`(${DOT})(?!\\d)`, "gu"), "$1 ");
}

const isIpv4 = (labels: readonly string[]): boolean =>
  labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label) && Number(label) < 256);

/** Some programs end a host before a hyphen. */
const isTopLevel = (label: string): boolean => {
  const name = label.toLowerCase();
  return TOP_LEVEL_DOMAINS.has(name.replace(/-.*/, "")) || /^xn--[a-z0-9-]+$/.test(name);
};
