import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setupSchema } from "@shared/contract/admin.ts";
import { publicBrandingSchema, storedBrandingSchema } from "@shared/contract/branding.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import pRetry from "p-retry";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const manifestSchema = z.object({
  name: z.string(),
  short_name: z.string(),
  start_url: z.string(),
  icons: z.array(z.object({ src: z.string() })).length(4),
});

describe("the branding", () => {
  let server: TestServer;
  let admin: UserRecord;
  let token: string;

  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    const traits = { username: "root", role: "admin", approved: true } as const;
    admin = await createUser(server.database, traits);
  });
  beforeEach(async () => {
    await server.database.branding.deleteMany();
    token = signTokenFor(admin, server.deps.settings);
  });
  afterAll(() => server.stop());

  const save = (json: object) => server.call("/admin/branding", { method: "PUT", token, json });
  const shown = async () =>
    publicBrandingSchema.parse(await (await server.call("/branding")).json());
  const sendLogo = (logo: Buffer) =>
    server.call("/admin/branding/logo", { method: "POST", token, body: multipartForm({ logo }) });

  it("is the product's own until an administrator changes it", async () => {
    expect(await shown()).toEqual({
      product_name: "AI Trading Bot",
      logo: "",
      style: "",
      demo_notice: "",
      contact_email: "support@example.com",
      contact_whatsapp: "",
      contact_telegram: "",
    });
  });

  it("is shown to everyone once it is saved, and every change is in the security log", async () => {
    const branding = {
      product_name: "Northwind Signals",
      accent_color: "#FFEE00",
      contact_email: "help@northwind.example",
      contact_telegram: "@northwind",
      time_zone: "Europe/Berlin",
      demo_notice: "A demonstration",
    };
    expect((await save(branding)).status).toBe(200);
    const { style, ...rest } = await shown();
    expect(rest).toEqual({
      product_name: "Northwind Signals",
      logo: "",
      demo_notice: "A demonstration",
      contact_email: "help@northwind.example",
      contact_whatsapp: "",
      contact_telegram: "@northwind",
    });
    // On white, it is made darker until it can be read.
    expect(style).toContain(":root{--color-accent:#ffee00;");
    expect(style).not.toContain('[data-theme="light"]{--color-accent:#ffee00;');
    const answer = await server.call("/admin/branding", { token });
    const stored = storedBrandingSchema.parse(await answer.json());
    expect(stored).toEqual({
      ...branding,
      accent_color: "#ffee00",
      contact_whatsapp: "",
      logo: null,
    });
    await save({ product_name: "Northwind Signals", demo_notice: "" });
    const log = await server.database.securityLog.find({ type: "branding:changed" }).lean();
    expect(log).toHaveLength(7);
    const details = { field: "demo_notice", before: "A demonstration", after: "" };
    expect(log).toContainEqual(expect.objectContaining({ actor: "root", details }));
  });

  it.each([
    ["product_name", "two\nlines"],
    ["product_name", "x".repeat(41)],
    ["accent_color", "red"],
    ["accent_color", "#fff;}body{display:none"],
    ["contact_email", "unknown"],
    ["contact_whatsapp", "javascript:alert(1)"],
    ["contact_telegram", "http://example.com"],
    ["time_zone", "Mars/Olympus"],
    ["demo_notice", "x".repeat(201)],
  ])("refuses %s = %j", async (field, value) => {
    const answer = await save({ [field]: value });
    expect(answer.status).toBe(422);
    const { errors } = errorBodySchema.parse(await answer.json());
    expect(errors?.map((error) => error.field)).toEqual([field]);
  });

  it("asks for the password if the sign-in is older than ten minutes", async () => {
    const createdAt = new Date(Date.now() - 11 * 60_000);
    const session = newSession({
      createdAt,
      lastSeenAt: new Date(),
      id: admin.sessions[0]?.id ?? "",
    });
    const { users } = server.database;
    await users.updateOne({ _id: admin._id }, { $set: { sessions: [session] } });
    const answer = await save({ contact_email: "thief@example.com" });
    expect(errorBodySchema.parse(await answer.json()).code).toBe("reauthentication-required");
    await users.updateOne({ _id: admin._id }, { $set: { sessions: admin.sessions } });
  });

  it("is what emails say, escaped", async () => {
    await save({ product_name: "Nord & <b>Wind</b>", accent_color: "#ffee00" });
    const body = { username: "new-one", email: "new@example.com", password: "secret-123" };
    expect((await server.call("/register", { json: body })).status).toBe(201);
    const outbox = join(server.deps.settings.DATA_DIR, "outbox");
    const mail = await pRetry(async () => {
      const [name = ""] = (await readdir(outbox)).filter((file) => file.endsWith(".eml"));
      return readFile(join(outbox, name), "utf8");
    });
    const text = mail.replaceAll(/=\r?\n/g, "");
    expect(text).toContain("Subject: Verify your email address for Nord & <b>Wind</b>");
    expect(text).toContain("Nord &amp; &lt;b&gt;Wind&lt;/b&gt;");
    expect(text).not.toContain("AI Trading Signals</p>");
  });

  it("has a logo, which is encoded again, and is served to everyone", async () => {
    const picture = await plainImage()
      .png()
      .withExif({ IFD0: { Copyright: "secret" } })
      .toBuffer();
    expect((await sendLogo(picture)).status).toBe(200);
    const { logo, style } = await shown();
    expect(style).toContain(`url("${server.deps.settings.VITE_API_URL}${logo}")`);
    expect(logo).toMatch(/^\/branding\/logo\?v=[0-9a-f]{64}$/);
    const answer = await server.call(logo);
    expect(answer.headers.get("content-type")).toMatch(/^image\/(png|jpeg|webp)$/);
    const { exif } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    expect(exif).toBeUndefined();
    await server.call("/admin/branding/logo", { method: "DELETE", token });
    expect((await shown()).logo).toBe("");
    expect((await server.call("/branding/logo")).status).toBe(404);
  });

  it("takes no SVG as a logo", async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    );
    const answer = await sendLogo(svg);
    expect(answer.status).toBe(415);
    expect(errorBodySchema.parse(await answer.json()).code).toBe("not-an-image");
  });

  it("names an installed app, whose icons are those of the pages", async () => {
    const manifest = async (origin: string) => {
      const answer = await server.call("/branding/manifest.webmanifest", { headers: { origin } });
      expect(answer.headers.get("content-type")).toContain("application/manifest+json");
      return manifestSchema.parse(await answer.json());
    };
    const [page = ""] = server.deps.settings.CLIENT_ORIGIN;
    const { name, icons, start_url } = await manifest("https://elsewhere.example");
    expect([name, start_url]).toEqual(["AI Trading Bot", `${page}/dashboard`]);
    const files = await readdir("client/public");
    for (const { src } of icons) expect(files).toContain(src.slice(page.length + 1));
    await save({ product_name: "Northwind Signals" });
    expect(await manifest(page)).toMatchObject({
      name: "Northwind Signals",
      short_name: "Northwind Signals",
    });
  });

  it("is in the preview of the pages", async () => {
    const preview = async () => {
      const answer = await server.call("/branding/preview.png");
      return Buffer.from(await answer.arrayBuffer());
    };
    const own = await preview();
    await save({ product_name: "Northwind Signals" });
    const named = await preview();
    await sendLogo(await plainImage().png().toBuffer());
    const withLogo = await preview();
    expect(named.equals(own) || withLogo.equals(named)).toBe(false);
    for (const image of [own, named, withLogo]) {
      expect(await sharp(image).metadata()).toMatchObject({ width: 1_200, height: 630 });
      expect(image.length).toBeLessThan(60_000);
    }
  });

  it("completes the setup with a contact", async () => {
    const contact = async () => {
      const answer = await server.call("/admin/setup", { token });
      return setupSchema.parse(await answer.json()).contact;
    };
    expect(await contact()).toBe("missing");
    await save({ contact_whatsapp: "+1 555 010 0199" });
    expect(await contact()).toBe("done");
  });
});
