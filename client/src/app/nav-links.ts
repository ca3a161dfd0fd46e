/** Where the navigation leads, in the order shown. */
export const navLinks = [
  { to: "/", label: "Home" },
  { to: "/bot", label: "BOT" },
  { to: "/signal-history", label: "History" },
  { to: "/dashboard", label: "Dashboard" },
] as const;
