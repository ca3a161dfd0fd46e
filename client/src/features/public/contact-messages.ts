export const contactMessages = {
  title: "Contact",
  lead: "Questions about plans, payments or your account? Contact us and include your username. Never send your password.",
  description: "Contact the AI Trading Bot team.",
  whatsApp: "WhatsApp",
  whatsAppHint: "Send us a message",
  telegram: "Telegram",
  telegramHint: "Chat with us",
  email: "Email",
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
    answer: "An administrator reviews each proof. Your dashboard shows the status of yours.",
    link: "Your dashboard",
    to: "/dashboard",
  },
  {
    question: "I forgot my password.",
    answer: "We'll send you a link to set a new one.",
    link: "Reset your password",
    to: "/forgot-password",
  },
] as const;
