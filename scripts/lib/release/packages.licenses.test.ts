import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../prepare-project.mjs";
import { describeLicenses, isAllowed, LICENSES_FILE, productionPackages } from "./packages.mjs";

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");
const packages = productionPackages(projectRoot);

describe("licences of the packages", () => {
  it("are listed as the lock file has them; `npm run licenses` makes the list anew", () => {
    expect(read(LICENSES_FILE)).toBe(describeLicenses(packages));
  });

  it("ask for nothing but to be kept", () => {
    expect(packages.filter((package_) => !isAllowed(package_))).toEqual([]);
  });

  it("leave out what only development needs, and nothing that production needs too", () => {
    const names = packages.map(({ name }) => name);
    expect(names).not.toContain("vitest");
    expect(names).toEqual(expect.arrayContaining(["koa", "nodemailer", "tsx", "busboy"]));
  });

  it.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0-only)", true],
    ["Apache-2.0 AND MIT", true],
    ["Apache-2.0 AND GPL-3.0-only", false],
    ["GPL-3.0-only", false],
    ["AGPL-3.0-or-later", false],
    ["MPL-2.0", false],
    ["LGPL-3.0-or-later", false],
    ["SEE LICENSE IN LICENSE.md", false],
    ["unknown", false],
  ])("such as %s: allowed is %s", (license, expected) => {
    expect(isAllowed({ name: "some-package", license })).toBe(expected);
  });

  it("let libvips alone be under the LGPL", () => {
    const license = "Apache-2.0 AND LGPL-3.0-or-later";
    expect(isAllowed({ name: "@img/sharp-win32-x64", license })).toBe(true);
    expect(isAllowed({ name: "sharp-win32-x64", license })).toBe(false);
  });
});
