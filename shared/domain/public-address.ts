import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Addresses of a host, as `lookup` with `all` finds them. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;

const resolveWithSystem: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** The address may not be called, because it is not public, or not https. The message is for users. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}

/** The public part of IPv6. Other addresses are of special use, or not assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public addresses at which clouds serve metadata to their machines. */
const METADATA_ADDRESSES = ["168.63.129.16"];

/** Whether an IP address is one of the public internet. IPv4 in IPv6 is judged as IPv4; translated addresses are refused. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast" || METADATA_ADDRESSES.includes(address.toString()))
    return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

export interface AddressPolicy {
  /** True permits http and private addresses, for development. */
  allowPrivate: boolean;
  resolve?: ResolveHost;
}

/**
 * Reads an address that a user has given, and checks what can be seen of it.
 * @throws RefusedAddressError
 */
export function parsePublicUrl(text: string, { allowPrivate }: AddressPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new RefusedAddressError("Enter a URL.");
  if (url.username !== "" || url.password !== "") {
    throw new RefusedAddressError("The URL must not contain a username or password.");
  }
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw new RefusedAddressError("The URL must start with https://.");
  const host = bareHost(url);
  if (isIP(host) ? !isPublicAddress(host) : isLocalName(host.replace(/\.$/, ""))) throw notPublic();
  return url;
}

/** A name of the same network, or of this machine (RFC 6761). */
const isLocalName = (name: string): boolean => !name.includes(".") || name.endsWith(".localhost");

/** Longer than a slow name server takes. */
const RESOLVE_TIMEOUT_MS = 3_000;

/**
 * Checks an address that a user has given, and those that its name stands for now. Names that are private, unknown or cannot
 * be resolved are refused alike and after the same time, so that the names stay secret of this network. The addresses are
 * checked again at each connection.
 * @throws RefusedAddressError
 */
export async function assertPublicUrl(text: string, policy: AddressPolicy): Promise<URL> {
  const url = parsePublicUrl(text, policy);
  const host = bareHost(url);
  if (policy.allowPrivate || isIP(host)) return url;
  const { resolve = resolveWithSystem } = policy;
  const timeout = AbortSignal.timeout(RESOLVE_TIMEOUT_MS);
  const timedOut = new Promise<[]>((give) => timeout.addEventListener("abort", () => give([])));
  const found = await Promise.race([resolve(host).catch(() => []), timedOut]);
  if (arePublic(found)) return url;
  await timedOut;
  throw noPublicName();
}

const arePublic = (found: readonly { address: string }[]): boolean =>
  found.length > 0 && found.every(({ address }) => isPublicAddress(address));

/**
 * A `lookup` for connections, which then go to the addresses that were checked. A name may have changed since an earlier
 * check, so one address that is not public refuses all. Users see the error of a private name, which is that of an unknown one.
 */
export function publicLookup({
  allowPrivate,
  resolve = resolveWithSystem,
}: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (!allowPrivate && !arePublic(found)) return callback(noPublicName(), "");
        if (!first) return callback(new Error(`${hostname} has no address`), "");
        if (options.all) return callback(null, found);
        return callback(null, first.address, first.family);
      },
      (error: unknown) => {
        if (!allowPrivate) return callback(noPublicName(), "");
        callback(error instanceof Error ? error : new Error(String(error)), "");
      },
    );
  };
}

/** IPv6 addresses are in brackets in a URL. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

const noPublicName = () =>
  new RefusedAddressError("The name in the URL does not lead to a public address.");

const notPublic = () => new RefusedAddressError("This is not a public address.");
