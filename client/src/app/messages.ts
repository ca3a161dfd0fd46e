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
  notFound: "We couldn't find this page. Check the URL or go to the home page.",
  backHome: "Go to the home page",
  errorTitle: "Something went wrong",
  error: "We couldn't load this page. Reload it to try again.",
  errorDetails: "Technical details",
  reload: "Reload page",
} as const;

export const themeMessages = {
  theme: "Theme",
  light: "Light theme",
  dark: "Dark theme",
  system: "System theme",
} as const;

export const liveToastMessages = {
  approvedTitle: "Account approved",
  approved: "You can now use the signal bot and your signal history.",
  revokedTitle: "Approval revoked",
  revoked: "You no longer have access to the signal bot and signal history.",
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
  unseen: (count: number) =>
    `${count} unread admin ${count === 1 ? "notification" : "notifications"}`,
} as const;
