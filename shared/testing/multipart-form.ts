/** What a form field holds: a text, or the bytes of a file; several of them under one name as a list. */
export type FormValue = string | Buffer | readonly (string | Buffer)[];

/** A multipart form; its files are called `picture.png` and say that they are PNGs, whatever they hold. */
export function multipartForm(fields: Record<string, FormValue>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      if (typeof value === "string") form.append(name, value);
      else
        form.append(name, new Blob([new Uint8Array(value)], { type: "image/png" }), "picture.png");
    }
  }
  return form;
}
