import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
const PINNED_ACTION = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40}$/;
const PINNED_IMAGE = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

const usesSchema = z.object({ uses: z.string().optional() });
const imageSchema = z.union([
  z.string(),
  z.object({ image: z.string() }).transform((c) => c.image),
]);
const workflowSchema = z.object({
  jobs: z.record(
    z.string(),
    usesSchema.extend({
      steps: z.array(usesSchema).default([]),
      container: imageSchema.optional(),
      services: z.record(z.string(), imageSchema).default({}),
    }),
  ),
});

/** What a workflow takes from others without naming one exact version. */
function unpinnedInWorkflow(text: string): string[] {
  const jobs = Object.values(workflowSchema.parse(parse(text)).jobs);
  const uses = jobs.flatMap((job) => [job, ...job.steps]).flatMap((step) => step.uses ?? []);
  const images = jobs.flatMap((job) => [job.container ?? [], Object.values(job.services)].flat());
  return [
    ...uses.filter((name) => !name.startsWith("./") && !PINNED_ACTION.test(name)),
    ...images.filter((name) => !PINNED_IMAGE.test(name)),
  ];
}

/** Images of registries, not the stages of the Dockerfile itself. */
function unpinnedInDockerfile(text: string): string[] {
  const stages = new Set(["scratch"]);
  const images: string[] = [];
  for (const line of text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const [, base, stage] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(line) ?? [];
    const isCopying = /^\s*(COPY|ADD|RUN)\s/i.test(line);
    const sources = isCopying ? line.matchAll(/\s--\S*\bfrom=([^\s,]+)/g) : [];
    images.push(base ?? "scratch", ...Array.from(sources, ([, source = ""]) => source));
    images.push(/^#\s*syntax\s*=\s*(\S+)/i.exec(line)?.[1] ?? "scratch");
    if (stage) stages.add(stage);
  }
  return images.filter((image) => !stages.has(image) && !PINNED_IMAGE.test(image));
}

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({ image: z.string().optional(), build: z.unknown().optional() }),
  ),
});

/** Images of services that are not built here. */
function unpinnedInCompose(text: string): string[] {
  return Object.values(composeSchema.parse(parse(text, { merge: true })).services)
    .flatMap(({ image, build }) => (image && build === undefined ? image : []))
    .filter((image) => !PINNED_IMAGE.test(image));
}

const filesIn = (folder: string, pattern: RegExp) =>
  readdirSync(join(projectRoot, folder))
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

describe("what the project takes from others is one exact version:", () => {
  it.each(filesIn(".github/workflows", /\.ya?ml$/))("actions in %s, by full commit", (file) => {
    expect(unpinnedInWorkflow(read(file))).toEqual([]);
  });

  it.each(filesIn(".", /dockerfile/i))("base images in %s, by digest", (file) => {
    expect(unpinnedInDockerfile(read(file))).toEqual([]);
  });

  it.each(filesIn(".", /compose.*\.ya?ml$/))("images in %s, by digest", (file) => {
    expect(unpinnedInCompose(read(file))).toEqual([]);
  });
});

describe("the check of exact versions", () => {
  it("finds actions by tag, branch, short commit or image, and images of jobs", () => {
    const uses = ["a/b@v5", "a/b/c@main", `a/b@${COMMIT.slice(0, 7)}`, "docker://alpine:3", "a/b"];
    const steps = [...uses, `a/b/c@${COMMIT}`, "./.github/own"].map((name) => ({ uses: name }));
    const services = { one: { image: "mongo:7" }, two: `mongo:7@${DIGEST}` };
    const jobs = { called: { uses: "a/b/.github/workflows/x.yml@v1" }, made: { steps, services } };
    expect(unpinnedInWorkflow(JSON.stringify({ jobs }))).toEqual([
      "a/b/.github/workflows/x.yml@v1",
      ...uses,
      "mongo:7",
    ]);
  });

  it("finds images without a tag or a digest in a Dockerfile, and leaves its stages alone", () => {
    const lines = [
      "# syntax=docker/dockerfile:1",
      "FROM --platform=linux/amd64 node:24 AS base",
      `FROM node@${DIGEST}`,
      "from $IMAGE as given",
      `FROM node:24@${DIGEST} AS pinned`,
      "FROM base AS next",
      "COPY --chown=1:1 --from=caddy:2 /a /b",
      "COPY --from=pinned /a /b",
      "RUN --mount=type=bind,from=busybox,target=/b \\\n  true",
    ];
    expect(unpinnedInDockerfile(lines.join("\n"))).toEqual([
      "docker/dockerfile:1",
      "node:24",
      `node@${DIGEST}`,
      "$IMAGE",
      "caddy:2",
      "busybox",
    ]);
  });

  it("finds images of a compose file, and leaves alone what is built here", () => {
    const services = {
      a: { image: "mongo:7" },
      b: { image: `mongo:7@${DIGEST}` },
      c: { image: "own", build: "." },
    };
    expect(unpinnedInCompose(JSON.stringify({ services }))).toEqual(["mongo:7"]);
  });
});
