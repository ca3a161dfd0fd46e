export const appMessages = {
  product: "AI Trading Bot",
  skipLink: "Skip to content",
  mainNavigation: "Main",
  legalNavigation: "Legal",
  rights: "AI Trading Bot. All Rights Reserved.",
  openMenu: "Open menu",
  closeMenu: "Close menu",
  menu: "Menu",
  login: "Login",
  logout: "Logout",
  loading: "Loading",
  offline: "Offline, reconnecting…",
  notFoundTitle: "Page not found",
  notFound: "There is nothing at this address. It may have moved, or the link may be mistyped.",
  backHome: "Back to the home page",
  errorTitle: "Something went wrong",
  error: "This page could not be shown. Reloading it usually helps; your signals are safe.",
  errorDetails: "Technical details",
  reload: "Reload the page",
} as const;

export const themeMessages = {
  theme: "Theme",
  light: "Light theme",
  dark: "Dark theme",
  system: "As on this device",
} as const;

export const liveToastMessages = {
  approvedTitle: "You are approved",
  approved: "You can now use the signal bot and your signal history.",
  revokedTitle: "Approval withdrawn",
  revoked: "The signal bot and the history are closed to your account until it is approved again.",
  failedTitle: "Signal failed",
  view: "View",
} as const;

export const adminAlertMessages = {
  registered: "New registration",
  proof: "New payment proof",
  proofBy: (username: string, sender: string) => `${username}, sent by ${sender}`,
  budget: { 80: "80% of the AI budget is spent", 100: "AI budget used up" },
  spent: (spent: string, budget: string) => `${spent} of ${budget} today (UTC).`,
  view: "View",
  unseen: (count: number) => `${count} new for the administrator`,
} as const;
