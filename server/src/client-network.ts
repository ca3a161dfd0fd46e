import { isIPv6 } from "node:net";

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * What stands for one client in a limit by address: the IPv4 address, or the /64 network of an IPv6 address, since
 * whoever has one of its addresses has all of them.
 * @param address as a socket names its other end
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.groups?.v4;
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":").filter(Boolean);
  const last = tail?.split(":").filter(Boolean) ?? [];
  const omitted = Array.from({ length: IPV6_GROUPS - first.length - last.length }, () => "0");
  const groups = tail === undefined ? first : [...first, ...omitted, ...last];
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
