import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { useSession } from "../lib/session.ts";
import { showToast } from "../ui/show-toast.ts";
import { describeAdminEvent } from "./describe-admin-event.ts";
import { adminLink, useAdminNews } from "./nav-items.tsx";
import { notifyIfHidden } from "./unseen.ts";

/** Keeps the count across reloads of this tab. */
const KEY = "adminUnseen";

useAdminNews.setState({ unseen: Number(sessionStorage.getItem(KEY)) || 0 });
useAdminNews.subscribe(({ unseen }) => sessionStorage.setItem(KEY, String(unseen)));
useSession.subscribe((session, before) => {
  if (session.token !== before.token) seeAll();
});

const seeAll = () => useAdminNews.setState({ unseen: 0 });
const isVisible = () => document.visibilityState === "visible";

export function NavbarAdminNews() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isHere = pathname === adminLink.to;
  useEffect(() => {
    const open = () => void navigate(adminLink.to);
    const view = { label: "View", run: open };
    return onLiveEvent((event) => {
      const news = describeAdminEvent(event);
      if (!news) return;
      if (!isHere || !isVisible()) useAdminNews.setState(({ unseen }) => ({ unseen: unseen + 1 }));
      showToast({ ...news, ...(!isHere && { action: view }) });
      notifyIfHidden(event, { title: news.title, text: news.description, open });
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
