export const contactMessages = {
  title: "Contact",
  lead: "Questions about plans, payments or your account? Write to us. Have your username at hand, and never send your password.",
  description: "How to reach the people behind AI Trading Bot.",
  whatsApp: "WhatsApp",
  whatsAppHint: "Send us a message",
  telegram: "Telegram",
  telegramHint: "Chat with us",
  email: "E-mail",
  newTab: "(opens in a new tab)",
  answersTitle: "Quick answers",
} as const;

/** What most people would write for. */
export const quickAnswers = [
  {
    question: "How do I pay?",
    answer: "The payment page lists every method we accept. Send us the proof on your dashboard.",
    link: "Payment methods",
    to: "/payment",
  },
  {
    question: "When is my account approved?",
    answer: "An administrator reviews each proof. Your dashboard shows where yours stands.",
    link: "Your dashboard",
    to: "/dashboard",
  },
  {
    question: "I forgot my password.",
    answer: "We send you a link that sets a new one.",
    link: "Reset your password",
    to: "/forgot-password",
  },
] as const;
