import { meSchema } from "@shared/contract/account.ts";
import { userListSchema } from "@shared/contract/admin.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { type FormValue, multipartForm, PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage, plainImage, pngBomb, receiptImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startLiveServer } from "../../testing/start-live-server.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const INCOMPLETE = "Please provide both sender name and a file.";

describe("payment proofs", () => {
  const databaseUri = testDatabaseUri();
  const environment = { RATE_LIMIT: "off" };
  let server: TestServer;
  let otherServer: TestServer;
  let admin: UserRecord;
  let user: UserRecord;
  let receipt: Buffer;

  beforeAll(async () => {
    server = await startTestServer({ databaseUri, environment });
    otherServer = await startTestServer({ databaseUri, environment });
    admin = await createUser(server.database, { role: "admin", approved: true });
    receipt = await plainImage().png().toBuffer();
  });
  beforeEach(async () => {
    user = await createUser(server.database);
  });
  afterEach(async () => {
    await compared();
    await server.database.proofFingerprints.deleteMany();
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));

  /** Resolves when all proofs are compared with earlier ones. */
  const compared = () =>
    Promise.all([server, otherServer].map(({ deps }) => deps.background.settled()));
  const tokenOf = (of: UserRecord) => signTokenFor(of, server.deps.settings);
  const call = (as: UserRecord, path: string, method = "GET") =>
    server.call(path, { method, token: tokenOf(as) });
  const submit = (as: UserRecord, fields: Record<string, FormValue>, to = server) =>
    to.call("/submit-payment-proof", {
      method: "POST",
      token: tokenOf(as),
      body: multipartForm(fields),
    });
  const submitPicture = (as: UserRecord, picture: Buffer) =>
    submit(as, { sender_name: "Ann Sender", proof_image: picture });
  const me = async (as: UserRecord) => meSchema.parse(await (await call(as, "/me")).json());
  const cardOf = async (of: UserRecord) => {
    await compared();
    const path = `/admin/list-users?search=${of.username}`;
    const list = userListSchema.parse(await (await call(admin, path)).json());
    return list.users.find((card) => card.username === of.username);
  };
  const eventsIn = (stream: string) =>
    server.database.events.find({ stream }).sort({ seq: 1 }).lean();
  const countIn = (collection: string) =>
    server.database.connection.collection(collection).countDocuments();
  const fileIds = async () =>
    (await server.database.connection.collection("payment_proofs.files").find().toArray()).map(
      (file) => file._id.toString(),
    );

  it("a pending user's proof is stored, and shown to them and to the admins", async () => {
    const response = await submitPicture(user, receipt);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      detail: "Proof submitted successfully! Please wait for review.",
    });
    const { payment_proof: proof } = await me(user);
    expect(proof).toMatchObject({ sender_name: "Ann Sender" });
    expect(proof?.filename).toMatch(/^[0-9a-f]{32}\.png$/);
    expect((await cardOf(user))?.payment_proof).toMatchObject({
      sender_name: "Ann Sender",
      filename: proof?.filename,
    });
    const picture = await fetch(
      new URL(new URL(proof?.url ?? "").search, `${server.url}/payment_proofs/${proof?.filename}`),
    );
    expect(picture.status).toBe(200);
  });

  it("notifies the admins, with paths in the log that never expire", async () => {
    const before = (await eventsIn(ADMINS_STREAM)).length;
    await submitPicture(user, receipt);
    await compared();
    const events = (await eventsIn(ADMINS_STREAM)).slice(before);
    expect(events.map((event) => event.name)).toEqual(["proof:submitted", "user:updated"]);
    const { payment_proof: proof } = await me(user);
    const url = `/payment_proofs/${proof?.filename}`;
    expect(events[0]?.data).toMatchObject({
      username: user.username,
      sender_name: "Ann Sender",
      filename: proof?.filename,
      url,
      submitted_at: proof?.submitted_at,
    });
    expect(events[1]?.data).toMatchObject({ username: user.username, payment_proof: { url } });
  });

  it("notifies the user too, for their other windows", async () => {
    await submitPicture(user, receipt);
    expect(await eventsIn(userStream(user._id))).toMatchObject([
      { name: "account:updated", data: { approved: false, reason: "proof-submitted" } },
    ]);
  });

  it("a new proof takes the place of the one before, whose file is gone", async () => {
    await submitPicture(user, receipt);
    const { payment_proof: first } = await me(user);
    await submitPicture(user, await plainImage().jpeg().toBuffer());
    const { payment_proof: second } = await me(user);
    expect(second?.filename).toMatch(/\.jpg$/);
    expect((await call(user, `/payment_proofs/${first?.filename}`)).status).toBe(404);
    expect(await server.database.paymentProofs.countDocuments({ userId: user._id })).toBe(1);
  });

  it("leaves one file when several are submitted at once, to two servers", async () => {
    const before = new Set(await fileIds());
    const pictures = await Promise.all(
      Array.from({ length: 6 }, (_, grey) => plainImage(grey).png().toBuffer()),
    );
    const answers = await Promise.all(
      pictures.map((picture, index) => {
        const to = index % 2 === 0 ? server : otherServer;
        return submit(user, { sender_name: "Ann", proof_image: picture }, to);
      }),
    );
    expect(answers.map((answer) => answer.status)).toEqual(pictures.map(() => 201));
    const proofs = await server.database.paymentProofs.find({ userId: user._id }).lean();
    expect(proofs).toHaveLength(1);
    const added = (await fileIds()).filter((id) => !before.has(id));
    expect(added).toEqual(proofs.map((proof) => proof._id.toString()));
    expect(await countIn("payment_proofs.chunks")).toBe(await countIn("payment_proofs.files"));
  });

  it("names the other user who has sent the same picture, to the admins only", async () => {
    const first = await createUser(server.database);
    const mine = await receiptImage("730561948207").png().toBuffer();
    await submitPicture(first, mine);
    const before = (await eventsIn(ADMINS_STREAM)).length;
    await submitPicture(user, await sharp(mine).resize(400).jpeg({ quality: 60 }).toBuffer());
    expect((await cardOf(user))?.payment_proof?.duplicate_of).toBe(first.username);
    expect((await cardOf(first))?.payment_proof).not.toHaveProperty("duplicate_of");
    expect((await (await call(user, "/me")).text()).includes("duplicate_of")).toBe(false);
    const events = (await eventsIn(ADMINS_STREAM)).slice(before);
    expect(events.map(({ name }) => name)).toEqual([
      "proof:submitted",
      "user:updated",
      "user:updated",
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      username: user.username,
      payment_proof: { duplicate_of: first.username },
    });
  });

  it("does not take another receipt of the same app for a copy", async () => {
    await submitPicture(user, await receiptImage("118365920471").png().toBuffer());
    const other = await createUser(server.database);
    await submitPicture(other, await receiptImage("907354186225").png().toBuffer());
    expect((await cardOf(other))?.payment_proof).not.toHaveProperty("duplicate_of");
  });

  describe("that shows an image submitted before", () => {
    let mine: Buffer;
    let other: Buffer;
    let first: UserRecord;
    beforeAll(async () => {
      // A few lines of a receipt: what counts as a copy is judged elsewhere.
      const lines = { left: 0, top: 480, width: 720, height: 160 };
      mine = await receiptImage("204729000017").extract(lines).png().toBuffer();
      other = await chartImage(90)
        .extract({ left: 0, top: 0, width: 320, height: 80 })
        .png()
        .toBuffer();
    });
    beforeEach(async () => {
      first = await createUser(server.database);
      await submitPicture(first, mine);
    });
    const proofOf = async (of: UserRecord) => (await cardOf(of))?.payment_proof;
    const submitOther = (as: UserRecord) => submitPicture(as, other);
    const asAdmin = (action: string) =>
      call(admin, `/admin/${action}/${first.username}`, "POST").then(({ status }) =>
        expect(status).toBe(200),
      );

    it("shows the administrator both images, but not to the user", async () => {
      await submitPicture(user, mine);
      const proof = await proofOf(user);
      const { submitted_at } = (await me(first)).payment_proof ?? {};
      expect(proof).toMatchObject({
        duplicate_of: first.username,
        earlier_proof: { submitted_at, state: "stored" },
      });
      for (const url of [proof?.url, proof?.earlier_proof?.url]) {
        expect((await fetch(String(url).replace(/^https?:\/\/[^/]+/, server.url))).status).toBe(
          200,
        );
      }
      expect(await (await call(user, "/me")).text()).not.toContain("earlier_proof");
    });

    it.each([
      ["replaced", () => submitOther(first)],
      ["deleted", () => asAdmin("delete-proof")],
    ])("is found after the first proof was %s", async (state, remove) => {
      await remove();
      await submitPicture(user, mine);
      const proof = await proofOf(user);
      expect(proof).toMatchObject({ duplicate_of: first.username, earlier_proof: { state } });
      expect(proof?.earlier_proof).not.toHaveProperty("url");
    });

    it("is found after the first user was deleted, without the name", async () => {
      await asAdmin("delete-user");
      await submitPicture(user, mine);
      expect(await proofOf(user)).toMatchObject({
        duplicate_of: "a deleted user",
        earlier_proof: { state: "user-deleted" },
      });
    });

    it("is found for the same user, for instance in the second month", async () => {
      await submitOther(first);
      await submitPicture(first, mine);
      expect(await proofOf(first)).toMatchObject({
        duplicate_of: first.username,
        earlier_proof: { state: "replaced" },
      });
    });

    it("names the other user, also if it is submitted twice", async () => {
      await submitPicture(user, mine);
      await submitPicture(user, mine);
      expect(await proofOf(user)).toMatchObject({ duplicate_of: first.username });
    });

    it("is found if it is cropped and framed", async () => {
      const whole = await receiptImage("118365920471").png().toBuffer();
      await submitPicture(first, whole);
      const cropped = await sharp(whole)
        .extract({ left: 0, top: 130, width: 720, height: 1_100 })
        .toBuffer();
      const framed = sharp(cropped).extend({ top: 80, left: 80, right: 80, bottom: 80 });
      await submitPicture(user, await framed.jpeg({ quality: 70 }).toBuffer());
      expect(await proofOf(user)).toMatchObject({ duplicate_of: first.username });
    });

    it("is found in one of two that are submitted at once, to two servers", async () => {
      await asAdmin("delete-user");
      await server.database.proofFingerprints.deleteMany();
      const users = await Promise.all([createUser(server.database), createUser(server.database)]);
      await Promise.all(
        users.map((as, index) =>
          submit(as, { sender_name: "Ann", proof_image: mine }, index ? server : otherServer),
        ),
      );
      const found = (await Promise.all(users.map(proofOf))).filter((proof) => proof?.duplicate_of);
      expect(found).toHaveLength(1);
    });

    it("is found at the next start of a server if none has compared it", async () => {
      const stopping = await startTestServer({ databaseUri, environment });
      await stopping.deps.background.stop();
      await submit(user, { sender_name: "Ann", proof_image: mine }, stopping);
      await stopping.stop();
      expect(await proofOf(user)).not.toHaveProperty("duplicate_of");
      const started = await startLiveServer({ databaseUri, env: environment });
      await vi.waitFor(
        async () => expect(await proofOf(user)).toMatchObject({ duplicate_of: first.username }),
        PUSH_WAIT,
      );
      await started.stop();
    });

    it("keeps its fingerprint for a year after the proof is removed, and no longer", async () => {
      const { collection } = server.database.proofFingerprints;
      const [index] = (await collection.indexes()).filter(({ key }) => "removedAt" in key);
      expect(index?.expireAfterSeconds).toBe(365 * 86_400);
      const known = () => server.database.proofFingerprints.findOne({ username: first.username });
      expect((await known())?.removedAt).toBeUndefined();
      await asAdmin("delete-proof");
      expect((await known())?.removedAt).toBeInstanceOf(Date);
    });
  });

  it.each([
    ["no sender name", () => ({ proof_image: receipt })],
    ["a blank sender name", () => ({ sender_name: "  ", proof_image: receipt })],
    ["no file", () => ({ sender_name: "Ann" })],
    ["the file under another name", () => ({ sender_name: "Ann", file: receipt })],
    ["a text in the place of the file", () => ({ sender_name: "Ann", proof_image: "receipt.png" })],
    ["nothing", () => ({})],
  ])("refuses %s with the documented words", async (_, fields) => {
    const response = await submit(user, fields());
    expect(response.status).toBe(422);
    const error = errorBodySchema.parse(await response.json());
    expect(error).toMatchObject({ detail: INCOMPLETE, code: "invalid-input" });
    expect((await me(user)).payment_proof).toBeNull();
  });

  it("refuses JSON in the place of a form with the same words", async () => {
    const json = { sender_name: "Ann", proof_image: "data:image/png;base64,AAAA" };
    const response = await server.call("/submit-payment-proof", { token: tokenOf(user), json });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: INCOMPLETE });
  });

  it.each([
    ["a sender name of two lines", { sender_name: "Ann\nAdmin" }],
    ["a sender name of 101 characters", { sender_name: "a".repeat(101) }],
  ])("refuses %s", async (_, field) => {
    const response = await submit(user, { ...field, proof_image: receipt });
    expect(response.status).toBe(422);
    expect((await me(user)).payment_proof).toBeNull();
  });

  it.each([
    ["two files", () => [receipt, receipt], { status: 422, code: "invalid-input" }],
    ["a file of 6 MB", () => Buffer.alloc(6e6), { status: 413, code: "file-too-large" }],
    ["an empty file", () => Buffer.alloc(0), { status: 415, code: "not-an-image" }],
    ["a bomb", () => pngBomb(20_000), { status: 413, code: "file-too-large" }],
    ["HTML", () => Buffer.from("<html>"), { status: 415, code: "not-an-image" }],
    ["an executable", () => Buffer.from("MZ\u0090"), { status: 415, code: "not-an-image" }],
  ])("refuses %s that calls itself PNG, and stores nothing", async (_, file, { status, code }) => {
    const before = await fileIds();
    const response = await submit(user, { sender_name: "Ann", proof_image: file() });
    expect(response.status).toBe(status);
    expect(errorBodySchema.parse(await response.json()).code).toBe(code);
    expect(await fileIds()).toEqual(before);
    expect((await me(user)).payment_proof).toBeNull();
  });

  it("names a picture by what it is, whatever it calls itself", async () => {
    await submitPicture(user, await plainImage().webp().toBuffer());
    expect((await me(user)).payment_proof?.filename).toMatch(/^[0-9a-f]{32}\.webp$/);
  });

  it.each([
    ["no boundary", "multipart/form-data", "x"],
    [
      "a form that breaks off",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb',
    ],
  ])("answers %s with 400", async (_, type, body) => {
    const response = await server.call("/submit-payment-proof", {
      method: "POST",
      token: tokenOf(user),
      headers: { "Content-Type": type },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "malformed-body" });
  });

  it("asks strangers to log in", async () => {
    const response = await server.call("/submit-payment-proof", { method: "POST" });
    expect(response.status).toBe(401);
  });

  it("an admin deletes a proof: its file is gone, and the user is notified", async () => {
    await submitPicture(user, receipt);
    const { payment_proof: proof } = await me(user);
    const path = `/admin/delete-proof/${user.username.toUpperCase()}`;
    const response = await call(admin, path, "POST");
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty("detail");
    expect((await me(user)).payment_proof).toBeNull();
    expect((await call(admin, `/payment_proofs/${proof?.filename}`)).status).toBe(404);
    expect(await server.database.paymentProofs.countDocuments({ userId: user._id })).toBe(0);
    const events = await eventsIn(userStream(user._id));
    expect(events.at(-1)).toMatchObject({ name: "proof:deleted", data: {} });
    const toAdmins = (await eventsIn(ADMINS_STREAM)).at(-1);
    expect(toAdmins).toMatchObject({
      name: "user:updated",
      actor: admin.username,
      data: { username: user.username, payment_proof: null },
    });
    expect((await call(admin, path, "POST")).status).toBe(404);
  });

  it("only admins delete proofs, and only of users who have one", async () => {
    await submitPicture(user, receipt);
    const path = `/admin/delete-proof/${user.username}`;
    expect((await call(user, path, "POST")).status).toBe(403);
    expect((await server.call(path, { method: "POST" })).status).toBe(401);
    expect((await call(admin, "/admin/delete-proof/unknown", "POST")).status).toBe(404);
    expect((await me(user)).payment_proof).not.toBeNull();
  });
});
