// @ts-check
// Loaded into a service by `node --import`: appends the address of each connection, and each name that is looked up, to the
// file in RECORD_CONNECTIONS.
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import process from "node:process";

const file = process.env.RECORD_CONNECTIONS;
if (!file) throw new Error("RECORD_CONNECTIONS has to name a file");

/** @param {string | null} line */
const record = (line) => line && appendFileSync(file, `${line}\n`);

/**
 * Describes the target of `connect`: options, a port with or without a host, or a path, in an array if Node has
 * normalized it. A path is a pipe on this machine.
 * @param {any[]} args
 * @returns {string | null}
 */
function describeTarget([first, second]) {
  if (Array.isArray(first)) return describeTarget(first);
  if (typeof first !== "object") {
    const isPort = !Number.isNaN(Number(first));
    return isPort ? `tcp ${typeof second === "string" ? second : "localhost"}:${first}` : null;
  }
  const { path, host = "localhost", port } = first;
  return path ? null : `tcp ${host}:${port}`;
}

/**
 * @param {any} owner
 * @param {string} name
 * @param {(args: unknown[]) => string | null} describe
 */
function watch(owner, name, describe) {
  const original = owner[name];
  /**
   * @this {unknown}
   * @param {unknown[]} args
   */
  owner[name] = function watched(...args) {
    record(describe(args));
    return original.apply(this, args);
  };
}

watch(net.Socket.prototype, "connect", describeTarget);
watch(dgram.Socket.prototype, "send", () => "udp");
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  const lookups = Object.getOwnPropertyNames(owner).filter((name) =>
    /^(lookup|resolve|reverse)/.test(name),
  );
  for (const name of lookups) watch(owner, name, ([asked]) => `name ${asked}`);
}
syncBuiltinESMExports();
