export const dashboardTexts = {
  title: "Dashboard",
  approvedTitle: "Account Approved",
  approved: "The signal bot and your signal history are open to you.",
  openBot: "Open the signal bot",
  openHistory: "View signal history",
  pendingTitle: "Approval Pending",
  pending:
    "An administrator reviews your account before the signal bot opens. This page changes by itself as soon as that is done.",
  accountTitle: "Account",
  username: "Username",
  email: "Email",
  credits: "Image credits",
  unverifiedTitle: "Please verify your e-mail",
  unverified: "Open the link in the message we sent you when you registered.",
  verified: "Verified",
  notVerified: "Not verified",
} as const;
