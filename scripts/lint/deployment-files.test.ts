import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";

const readText = (file: string) => readFileSync(join(projectRoot, file), "utf8");

const serviceSchema = z.object({
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  privileged: z.boolean().optional(),
  pids_limit: z.number().optional(),
  mem_limit: z.string().optional(),
  cpus: z.union([z.number(), z.string()]).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  networks: z.array(z.string()).default(["default"]),
  ports: z.array(z.unknown()).default([]),
  volumes: z.array(z.string()).default([]),
});
const compose = z
  .object({
    services: z.record(z.string(), serviceSchema),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
  })
  .parse(parse(readText("docker-compose.yml"), { merge: true }));
const caddyfile = readText("deploy/Caddyfile");

const services = Object.entries(compose.services);
const service = (name: string) => serviceSchema.parse(compose.services[name]);
const withNetwork = (network: string) =>
  services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name);
const withSetting = (setting: string) =>
  services.filter(([, { environment }]) => setting in environment).map(([name]) => name);
const containing = (secret: string) =>
  services
    .filter(([, { environment }]) => JSON.stringify(environment).includes(secret))
    .map(([name]) => name);

describe("docker-compose.yml", () => {
  it.each(services)(
    "gives %s no rights that it does not need, and limits it",
    (_name, settings) => {
      expect(settings).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        pids_limit: expect.any(Number),
        mem_limit: expect.any(String),
        cpus: expect.anything(),
      });
      expect(settings.privileged).toBeUndefined();
      expect(settings.volumes.join()).not.toContain("docker.sock");
    },
  );

  it("lets only those reach the database who need it, and the public only the web container", () => {
    expect(withNetwork("database")).toEqual([
      "mongo",
      "database-accounts",
      "server",
      "worker",
      "backup",
      "restore",
    ]);
    expect(service("mongo").networks).toEqual(["database"]);
    for (const name of ["database", "web", "monitoring"]) {
      expect(compose.networks[name]?.internal).toBe(true);
    }
    expect(withNetwork("default")).toEqual([]);
    expect(services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual([
      "client",
    ]);
    expect(service("client").networks).toEqual(["web", "public"]);
    expect(withNetwork("web")).toEqual(["server", "client"]);
  });

  it("serves plain http to this machine only", () => {
    const published = service("client").ports.map((port) => JSON.stringify(port));
    expect(published.filter((port) => /5173|8000/.test(port))).toEqual([
      expect.stringMatching(/^"127\.0\.0\.1:/),
      expect.stringMatching(/^"127\.0\.0\.1:/),
    ]);
  });

  it("gives the secrets of the server to no other container", () => {
    expect(withSetting("JWT_SECRET")).toEqual(["server"]);
    expect(withSetting("ADMIN_PASSWORD")).toEqual(["server"]);
    expect(withSetting("SMTP_URL")).toEqual(["server", "worker"]);
    expect(withSetting("MONGO_INITDB_ROOT_PASSWORD")).toEqual(["mongo"]);
  });

  it("gives each service an account of the database, over TLS, and its password to no other", () => {
    for (const name of ["server", "worker", "backup"]) {
      const password = `MONGO_${name.toUpperCase()}_PASSWORD`;
      expect(service(name).environment.MONGODB_URI).toMatch(
        new RegExp(`^mongodb://${name}:\\$\\{${password}\\}@mongo/signals\\?.*tls=true&tlsCAFile=`),
      );
      expect(containing(password)).toEqual(["database-accounts", name]);
    }
    expect(containing("MONGO_ROOT_PASSWORD")).toEqual(["mongo", "database-accounts", "restore"]);
  });

  it("has no default for a secret", () => {
    const defaults = readText("docker-compose.yml").match(/\$\{\w*(PASSWORD|SECRET)\w*:-[^}]/g);
    expect(defaults).toBeNull();
  });

  it("starts a database with a key file, passwords and TLS", () => {
    expect(readText("deploy/start-mongo.sh")).toMatch(/--keyFile .*--tlsMode requireTLS/);
  });
});

describe("the Dockerfile", () => {
  it("leaves tests and what only they use out of the images", () => {
    const patterns = ["**/testing", "**/*.test.ts", "**/*.test.tsx", "**/*.suite.ts", "e2e"];
    expect(readText(".dockerignore").split("\n")).toEqual(expect.arrayContaining(patterns));
  });
});

describe("the Caddyfile", () => {
  it("sends the server one address, which it trusts", () => {
    expect(caddyfile).toContain("header_up X-Forwarded-For {client_ip}");
    expect(caddyfile).toContain("trusted_proxies_strict");
    expect(service("server").environment.TRUSTED_PROXIES).toBe("1");
  });

  it("has TLS once a domain is set", () => {
    expect(caddyfile).not.toContain("auto_https");
    expect(caddyfile).toMatch(/^\{\$WEB_ADDRESS::5173\} \{/m);
    const { WEB_ADDRESS, API_ADDRESS } = service("client").environment;
    expect(WEB_ADDRESS).toMatch(/^\$\{DOMAIN:-/);
    expect(API_ADDRESS).toMatch(/^\$\{DOMAIN:\+api\.\}\$\{DOMAIN:-/);
  });

  it("refuses plain http to the API, without a redirect", () => {
    expect(caddyfile).toMatch(/^http:\/\/\{\$API_HTTP_ADDRESS:\S+\} \{\n\trespond ".*" 403\n\}/m);
    const { API_HTTP_ADDRESS } = service("client").environment;
    expect(API_HTTP_ADDRESS).toMatch(/^\$\{DOMAIN:\+api\.\}\$\{DOMAIN:-/);
  });
});
