import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";
import { LICENSES_FILE, listLicenses, makeSbom, productionPackages } from "./packages.ts";

/** They ask for nothing but that their text is kept, as node_modules does. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  // Of fonts, which may be passed on with the product.
  "OFL-1.1",
  "Python-2.0",
  "Unlicense",
]);

/**
 * sharp's image library is a shared library in a package of its own, used unchanged, so that users can replace it, as the
 * LGPL asks. That would not hold for bundled code.
 */
const LGPL = "LGPL-3.0-or-later";
const MAY_BE_LGPL = /^@img\/sharp-/;

/** The MPL asks for the source of changed files of the package only. It is used unchanged, and is not bundled. */
const MPL = "MPL-2.0";
const MAY_BE_MPL = "web-push";

/** One of several choices (`OR`) must be allowed, all of those that hold at once (`AND`). */
function isAllowed({ name, license }: { name: string; license: string }): boolean {
  const isFine = (id: string) =>
    PERMISSIVE.has(id) ||
    (id === LGPL && MAY_BE_LGPL.test(name)) ||
    (id === MPL && name === MAY_BE_MPL);
  const choices = license.replaceAll(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every(isFine));
}

const packages = productionPackages();

describe("licences of the packages", () => {
  it("are listed as the lock file has them; `npm run licenses` updates the list", () => {
    expect(readFileSync(join(projectRoot, LICENSES_FILE), "utf8")).toBe(listLicenses());
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

const sbomSchema = z.object({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.object({ component: z.object({ name: z.literal("ai-trading-signals") }) }),
  components: z.array(
    z.object({ group: z.string().optional(), name: z.string(), version: z.string() }),
  ),
});

it("the bill of materials names all production packages and no others, without a network", async () => {
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9");
  const { components } = sbomSchema.parse(JSON.parse(await makeSbom()));
  const named = components.map(({ name, version }) => `${name}@${version}`);
  const wanted = packages.map(({ name, version }) => `${name}@${version}`);
  expect(named.toSorted()).toEqual(wanted.toSorted());
});
