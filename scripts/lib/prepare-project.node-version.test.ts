import { describe, expect, it } from "vitest";
import { checkNodeVersion } from "./prepare-project.mjs";

describe("the Node.js version", () => {
  it.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0"])("may be %s", (version) => {
    expect(() => checkNodeVersion(version)).not.toThrow();
  });

  it.each(["18.20.0", "20.18.3"])("may not be %s, and one line says so", (version) => {
    expect(() => checkNodeVersion(version)).toThrow(
      `Node.js 20.19 or newer is needed, and this is ${version}.`,
    );
  });
});
