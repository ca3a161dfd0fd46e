import { create } from "zustand";

interface Brand {
  name: string;
  /** What the API says of the branding, by field; undefined until it is known. */
  facts?: ReadonlyMap<string, string>;
}

/** The product, until it is known how its operator presents it. */
export const useBrand = create<Brand>(() => ({ name: "AI Trading Bot" }));

export const BRANDING_KEY = ["branding"];

/** Every field of `GET /branding` is a text. Every visitor reads it, so that it is read in few bytes. */
export const brandingFacts = (body: unknown): ReadonlyMap<string, string> =>
  new Map(Object.entries(Object(body)).map(([field, text]) => [field, String(text)]));
