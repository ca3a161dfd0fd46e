import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import type { LiveEvent } from "../lib/live/live-event.ts";
import { onLiveEvent } from "../lib/live/live-listeners.ts";
import { useSession } from "../lib/session.ts";
import { showToast } from "../ui/show-toast.ts";
import { useAdminNews } from "./admin-news.ts";
import { tellHidden } from "./hidden-news.ts";
import { adminLink } from "./nav-links.ts";
import { adminNewsTexts as texts } from "./texts.ts";

/** Where this tab remembers the number over a reload. */
const KEY = "adminUnseen";

useAdminNews.setState({ unseen: Number(sessionStorage.getItem(KEY)) || 0 });
useAdminNews.subscribe(({ unseen }) => sessionStorage.setItem(KEY, String(unseen)));
useSession.subscribe((session, before) => {
  if (session.token !== before.token) seeAll();
});

const seeAll = () => useAdminNews.setState({ unseen: 0 });
const isVisible = () => document.visibilityState === "visible";

/** Tells an administrator of registrations and payment proofs, and counts those that he has not seen. */
export function NavbarAdminNews() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isHere = pathname === adminLink.to;
  useEffect(() => {
    const open = () => void navigate(adminLink.to);
    const view = { label: texts.view, run: open };
    return onLiveEvent((event) => {
      const news = newsOf(event);
      if (!news) return;
      if (!isHere || !isVisible()) useAdminNews.setState(({ unseen }) => ({ unseen: unseen + 1 }));
      showToast({ ...news, ...(!isHere && { action: view }) });
      tellHidden(event, { title: news.title, text: news.description, open });
    });
  }, [isHere, navigate]);
  useEffect(() => {
    if (!isHere) return;
    const look = () => isVisible() && seeAll();
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isHere]);
  return null;
}

function newsOf(event: LiveEvent): { title: string; description: string } | null {
  if (event.name === "user:registered") {
    return { title: texts.registered, description: event.data.username };
  }
  if (event.name !== "proof:submitted") return null;
  const { username, sender_name } = event.data;
  return { title: texts.proof, description: texts.proofBy(username, sender_name) };
}
