import { describe, expect, it } from "vitest";
import { html } from "./html.ts";

describe("html", () => {
  it("escapes what is put in", () => {
    expect(html`<a title="${`"><script>'&`}">`.text).toBe(
      '<a title="&quot;&gt;&lt;script&gt;&#39;&amp;">',
    );
  });

  it("inserts HTML unchanged, and nothing for null", () => {
    const items = ["<1>", "2"].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}${undefined}${null}${3}</ul>`.text).toBe(
      "<ul><li>&lt;1&gt;</li><li>2</li>3</ul>",
    );
  });
});
