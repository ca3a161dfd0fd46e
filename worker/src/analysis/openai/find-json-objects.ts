import { isDeepStrictEqual } from "node:util";

/** An object in a text that is cut off, broken or contradicts itself. The message is a sentence for the model. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/** Braces of prose, such as `{RSI, MACD}`, start no object. */
const OBJECT_START = /(?:\[\s*)*\{\s*(?:["'}]|\/[/*]|[A-Za-z_$][\w$]*\s*:)/g;

/**
 * Returns the objects, and lists of objects, that stand in a text, without empty ones, and the prose around them. Trailing commas, comments, single
 * quotes, line breaks in strings and the constants of Python are accepted. Nothing is completed or guessed.
 * @throws JsonTextError for an object that does not end, breaks the grammar, or has a key twice with different values
 */
export function findJsonObjects(text: string): { values: unknown[]; prose: string } {
  const values: unknown[] = [];
  let prose = "";
  let end = 0;
  const starts = new RegExp(OBJECT_START);
  for (let start = starts.exec(text); start; start = starts.exec(text)) {
    const reader = new JsonReader(text, start.index);
    const value = reader.read();
    if (!isDeepStrictEqual(value, {})) values.push(value);
    prose += `${text.slice(end, start.index)}\n`;
    end = reader.end;
    starts.lastIndex = end;
  }
  return { values, prose: prose + text.slice(end) };
}

const MAX_DEPTH = 40;
const BLANKS = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y;
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const PLAIN_CHARACTERS = /[^"'\\]+/y;
const ESCAPED: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
  ["undefined", null],
  ["NaN", null],
]);

class JsonReader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  /** Where the value ends that was read. */
  get end(): number {
    return this.#at;
  }

  read(): unknown {
    this.#take(BLANKS);
    const next = this.#text[this.#at];
    if (next === "{") return this.#nested(() => this.#object());
    if (next === "[") return this.#nested(() => this.#list());
    if (next === '"' || next === "'") return this.#string(next);
    return this.#scalar();
  }

  #nested(read: () => unknown): unknown {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#broken();
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    while (!this.#skip("}")) {
      const key = this.#key();
      if (!this.#skip(":")) throw this.#broken();
      const value = this.read();
      if (entries.has(key) && !isDeepStrictEqual(entries.get(key), value)) {
        throw new JsonTextError(`The answer has ${key} twice, with different values.`);
      }
      entries.set(key, value);
      if (!this.#isSeparated("}")) throw this.#broken();
    }
    return Object.fromEntries(entries);
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    while (!this.#skip("]")) {
      items.push(this.read());
      if (!this.#isSeparated("]")) throw this.#broken();
    }
    return items;
  }

  #key(): string {
    this.#take(BLANKS);
    const quote = this.#text[this.#at];
    if (quote === '"' || quote === "'") return this.#string(quote);
    const word = this.#take(WORD);
    if (word === "") throw this.#broken();
    return word;
  }

  #string(quote: string): string {
    this.#at += 1;
    let text = "";
    for (;;) {
      text += this.#take(PLAIN_CHARACTERS);
      const next = this.#text[this.#at];
      if (next === undefined) throw this.#broken();
      this.#at += 1;
      if (next === quote) return text;
      text += next === "\\" ? this.#escaped() : next;
    }
  }

  #escaped(): string {
    const character = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (character !== "u") return ESCAPED[character] ?? character;
    const code = this.#take(/[\da-fA-F]{4}/y);
    if (code === "") throw this.#broken();
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #scalar(): unknown {
    const number = this.#take(NUMBER);
    if (number !== "") return Number(number);
    const word = this.#take(WORD);
    if (!CONSTANTS.has(word)) throw this.#broken();
    return CONSTANTS.get(word);
  }

  /** After an entry: a comma, or the end, which is left to be read. */
  #isSeparated(bracket: string): boolean {
    if (this.#skip(",")) return true;
    return this.#text[this.#at] === bracket;
  }

  #skip(character: string): boolean {
    this.#take(BLANKS);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ""] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }

  #broken(): JsonTextError {
    const isCutOff = this.#at >= this.#text.length;
    return new JsonTextError(
      isCutOff ? "The JSON object of the answer does not end." : "The answer is not valid JSON.",
    );
  }
}
