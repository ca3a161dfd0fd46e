import { createServer, type Server } from "node:net";
import {
  type AddressPolicy,
  assertPublicUrl,
  type ResolveHost,
} from "@shared/domain/public-address.ts";
import { TEST_WEBHOOK_SECRET } from "@shared/testing/factories.ts";
import { type HttpFake, listenLocally, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChannelMessage } from "../../channel-sender.ts";
import { webhookSender as senderOf } from "./webhook-sender.ts";

const messageTo = (url: string): ChannelMessage => ({
  id: "msg_1",
  channelId: "1",
  type: "channel.test",
  data: {},
  timestamp: new Date(),
  target: { kind: "webhook", url, secret: TEST_WEBHOOK_SECRET },
  user: { username: "ann", email: "ann@example.com" },
  sentAt: new Date(),
  validUntil: null,
});
const webhookSender = (policy: AddressPolicy) =>
  senderOf({ policy, origin: "", describe: () => Promise.reject(new Error("not asked")) });
const inTime = () => AbortSignal.timeout(5_000);

/** Hosts of addresses that must not be called. `PORT` is that of a server of this machine that counts connections. */
const LITERALS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "127.255.255.254",
  "0.0.0.0",
  "0",
  "localhost",
  "LOCALHOST.",
  "a.localhost.",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[fe80::1]",
  "[fc00::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[fd00:ec2::254]",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "1270.0.0.1",
];

describe("the webhook sender", () => {
  let connections = 0;
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    port = await listenLocally(server);
  });
  afterAll(() => server.close());

  /** Refused before a connection: by the address itself, or by what its name stands for. */
  const expectRefused = async (host: string, resolve?: ResolveHost) => {
    const sender = webhookSender({ allowPrivate: false, ...(resolve && { resolve }) });
    for (const scheme of ["https", "http"]) {
      const result = await sender.send(messageTo(`${scheme}://${host}:${port}/`), inTime());
      expect(result).toMatchObject({ outcome: "retry", responseStatus: null });
      expect(result.error).toMatch(/public address|https|Enter a URL/);
    }
    expect(connections).toBe(0);
  };
  const to = (...addresses: string[]): ResolveHost => {
    return async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };

  it("has a suite of at least 40 addresses", () => {
    expect(LITERALS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(LITERALS)("does not call %s", (host) => expectRefused(host, to("127.0.0.1")));

  it.each([
    ["a private address", to("127.0.0.1")],
    ["a mapped address", to("::ffff:127.0.0.1")],
    ["a link-local address with a zone", to("fe80::1%lo")],
    ["a public and a private address", to("93.184.215.14", "127.0.0.1")],
  ])("does not call a name of %s", (_, resolve) => expectRefused("a.example.com", resolve));

  it("refuses a name of this machine when it is added, even if no name server knows it", async () => {
    const policy = { allowPrivate: false, resolve: to() };
    for (const host of ["localhost", "a.localhost", "a.localhost."]) {
      await expect(assertPublicUrl(`https://${host}/`, policy)).rejects.toThrow("public address");
    }
  });

  it("does not call a name that was public when it was added, and is private now", async () => {
    const answers = [to("93.184.215.14"), to("127.0.0.1")];
    const resolve: ResolveHost = (host) => (answers.shift() ?? to())(host);
    const policy = { allowPrivate: false, resolve };
    const url = `https://a.example.com:${port}/`;
    await assertPublicUrl(url, policy);
    const { error } = await webhookSender(policy).send(messageTo(url), inTime());
    expect(error).toBe("The name in the URL does not lead to a public address.");
    expect([answers.length, connections]).toEqual([0, 0]);
  });

  it("reports private names and unknown ones alike", async () => {
    const unknown: ResolveHost = () => Promise.reject(new Error("getaddrinfo ENOTFOUND"));
    const results = [to("10.0.0.1"), to(), unknown].map((resolve) =>
      webhookSender({ allowPrivate: false, resolve }).send(
        messageTo(`https://a.example.com:${port}/`),
        inTime(),
      ),
    );
    const errors = (await Promise.all(results)).map(({ error }) => error);
    expect(new Set(errors).size).toBe(1);
  });

  describe("with a receiver", () => {
    let behave: Parameters<typeof startHttpFake>[0];
    let receiver: HttpFake;
    beforeAll(async () => {
      receiver = await startHttpFake((request, response) => behave(request, response));
    });
    afterAll(() => receiver.close());
    const send = (abort = inTime()) =>
      webhookSender({ allowPrivate: true }).send(messageTo(receiver.url), abort);

    it.each([301, 302, 303, 307, 308])("does not follow a redirect with %d", async (status) => {
      behave = async (_, response) => {
        response.writeHead(status, { Location: `http://127.0.0.1:${port}/` }).end();
      };
      expect(await send()).toMatchObject({ outcome: "retry", responseStatus: status });
      expect(connections).toBe(0);
    });

    it("reads 64 KB of an endless response, and takes its status", async () => {
      let written = 0;
      behave = async (_, response) => {
        response.writeHead(200);
        const chunk = "x".repeat(16_384);
        const write = (): void => {
          while (!response.destroyed) {
            written += chunk.length;
            if (!response.write(chunk)) return void response.once("drain", write);
          }
        };
        write();
      };
      expect(await send()).toMatchObject({ outcome: "delivered", responseStatus: 200 });
      expect(written).toBeLessThan(20_000_000);
    });

    it("takes the status of a response whose body never ends", async () => {
      behave = async (_, response) => void response.writeHead(204).flushHeaders();
      expect(await send(AbortSignal.timeout(300))).toMatchObject({ outcome: "delivered" });
      behave = async (_, response) => void response.writeHead(200).write("{");
      expect(await send(AbortSignal.timeout(300))).toMatchObject({ outcome: "delivered" });
    });

    it("gives up a receiver that does not answer", async () => {
      behave = async () => undefined;
      expect(await send(AbortSignal.timeout(100))).toEqual({
        outcome: "retry",
        responseStatus: null,
        error: "There was no response in time.",
      });
    });

    it("names the cause of a failed connection, and no address", async () => {
      const sender = webhookSender({ allowPrivate: true });
      const result = await sender.send(messageTo("http://127.0.0.1:9/secret-path"), inTime());
      expect(result.error).toBe("The receiver could not be reached (ECONNREFUSED).");
    });
  });
});
