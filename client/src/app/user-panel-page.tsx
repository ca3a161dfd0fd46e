import { AccountPage } from "../features/account/account-page.tsx";
import { ChannelsSection } from "../features/channels/channels-section.tsx";

export const UserPanelPage = () => (
  <AccountPage>
    <ChannelsSection />
  </AccountPage>
);
