/** What a template may name, in the order in which its editor lists them. */
export const TEMPLATE_FIELDS = [
  "symbol",
  "side",
  "entry",
  "stop_loss",
  "take_profit",
  "confidence",
  "timeframe",
  "id",
] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];

export type TemplateValues = Readonly<Record<TemplateField, string | number>>;

/** With every character that could end a text of a JSON document. */
const CHECK_VALUES: TemplateValues = {
  symbol: 'A"\\\n/B',
  side: "BUY",
  entry: 1.5,
  stop_loss: 1,
  take_profit: 2,
  confidence: 72.5,
  timeframe: "1h",
  id: "0",
};

const TOKEN = /\\.|"|\{\{\s*(\w+)\s*\}\}/gs;

const isField = (name: string): name is TemplateField =>
  TEMPLATE_FIELDS.some((field) => field === name);

/**
 * Puts values in the place of `{{symbol}}` and the others. Inside a text of the template a value is escaped as a part of that
 * text, elsewhere it is a JSON value of its own. A name that is no field stays as it is.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  let isInText = false;
  return template.replaceAll(TOKEN, (token: string, name?: string) => {
    if (token === '"') isInText = !isInText;
    if (name === undefined || !isField(name)) return token;
    const value = values[name];
    const json = JSON.stringify(value);
    return isInText && json.startsWith('"') ? json.slice(1, -1) : json;
  });
}

/** Why a template cannot be used; null if it can. */
export function problemOfTemplate(template: string): string | null {
  for (const [token, name] of template.matchAll(TOKEN)) {
    if (name !== undefined && !isField(name)) return `${token} is no field of a signal.`;
  }
  try {
    JSON.parse(fillTemplate(template, CHECK_VALUES));
    return null;
  } catch {
    return "With its fields filled in, this is no JSON.";
  }
}
