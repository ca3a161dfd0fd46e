import { expect, it, vi } from "vitest";
import { projectRoot } from "../prepare-project.mjs";
import { makeSbom, productionPackages } from "./packages.mjs";

it("the bill of materials names all production packages and no others, without a network", async () => {
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9");
  const { text, components } = await makeSbom(projectRoot);
  const named = components.map(({ name, version }) => `${name}@${version}`);
  const wanted = productionPackages(projectRoot).map(({ name, version }) => `${name}@${version}`);
  expect(named.toSorted()).toEqual(wanted.toSorted());
  expect(JSON.parse(text)).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "ai-trading-signals" } },
  });
});
