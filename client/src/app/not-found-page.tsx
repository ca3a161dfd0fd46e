import { Link } from "react-router-dom";
import { buttonClass } from "../ui/button-class.ts";
import { MessagePage } from "./message-page.tsx";
import { appTexts } from "./texts.ts";

export function NotFoundPage() {
  return (
    <MessagePage title={appTexts.notFoundTitle} text={appTexts.notFound}>
      <Link to="/" className={buttonClass()}>
        {appTexts.backHome}
      </Link>
    </MessagePage>
  );
}
