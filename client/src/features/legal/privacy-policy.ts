import { CHART_IMAGE_DAYS } from "@shared/contract/files.ts";
import type { LegalDocument } from "./legal-document.ts";

export const privacyPolicy: LegalDocument = {
  title: "Privacy Policy",
  lead: "What we know about you, what we use it for, and how you have it deleted.",
  updated: "1 November 2026",
  description: "What personal data AI Trading Bot keeps, what for, how long, and your rights.",
  sections: [
    {
      title: "What we keep about you",
      paragraphs: [
        "Your account: username, e-mail address, whether you have confirmed it, your approval and your image credits. Your password is kept only as a salted hash, or by the sign-in service we use; nobody can read it.",
        "Your use of the service: the signals you asked for with their settings and results, chart images you uploaded for analysis, and the payment proof you sent with the sender's name on it.",
        "For the operation of the service we keep technical records of requests, with the network address they came from, and a record of what administrators changed.",
      ],
    },
    {
      title: "What we use it for",
      paragraphs: [
        "To provide the service you signed up for, to check your subscription payment, to keep accounts safe from misuse, and to write to you about your account. We do not sell your data and do not show advertisements.",
      ],
    },
    {
      title: "Who else receives data",
      paragraphs: [
        "Artificial intelligence: market data and your signal settings, and the chart image if you add one, may be sent to the provider of the AI model for analysis. Your name and e-mail address are not.",
        "E-mail: your address and our messages to you pass through our mail provider.",
        "Market widgets: the home page shows widgets of TradingView. Your browser loads them from TradingView, which thereby learns your network address and may set cookies of its own. All other pages load nothing from anybody else.",
      ],
    },
    {
      title: "What is stored in your browser",
      paragraphs: [
        "While you are logged in, your browser's local storage holds three entries: your session token, whether you are approved, and whether you are an administrator. Logging out removes them. We set no tracking cookies.",
      ],
    },
    {
      title: "How long we keep it",
      paragraphs: [
        `Chart images are deleted after ${CHART_IMAGE_DAYS} days at the latest. Your signals and your payment proof are kept until you or an administrator delete them, or until your account is deleted. The record of administrators' changes is kept for a year.`,
      ],
    },
    {
      title: "Your rights",
      paragraphs: [
        "You can ask what we hold about you, have it corrected, receive a copy of it, or have it deleted together with your account. You can also complain to the data protection authority where you live.",
      ],
    },
    {
      title: "Changes",
      paragraphs: [
        "When this policy changes, the date at the top changes with it. If a change affects what we do with data you have already given us, we tell you by e-mail first.",
      ],
    },
  ],
};
