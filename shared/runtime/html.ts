const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Html | string | number | null | undefined | readonly Insert[];

/** A template for HTML that escapes all inserts except `Html`. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(parts.map((part, index) => part + toText(inserts[index])).join(""));
}

function toText(insert: Insert): string {
  if (insert === undefined || insert === null) return "";
  if (insert instanceof Html) return insert.text;
  if (typeof insert === "string") return insert.replaceAll(/[&<>"']/g, (it) => ENTITIES[it] ?? it);
  if (typeof insert === "number") return String(insert);
  return insert.map(toText).join("");
}
