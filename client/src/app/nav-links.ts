import { useSession } from "../lib/session.ts";

/** Where the navigation leads, in the order shown. */
export const navLinks = [
  { to: "/", label: "Home" },
  { to: "/bot", label: "BOT" },
  { to: "/signal-history", label: "History" },
  { to: "/dashboard", label: "Dashboard" },
  { to: "/pricing", label: "Pricing" },
  { to: "/contact", label: "Contact" },
] as const;

/** Shown to administrators only. */
export const adminLink = { to: "/admin", label: "Admin" } as const;

/** The links for whoever is signed in. */
export function useNavLinks() {
  const isAdmin = useSession((session) => session.token !== null && session.isAdmin);
  return isAdmin ? [...navLinks, adminLink] : navLinks;
}
