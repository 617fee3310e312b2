import { version } from "../version.ts";

/** Where each service has the packages of its clients, which scripts/client-archives.ts makes. pip reads the version in the name. */
export const clientPackages = {
  npm: "/client.tgz",
  pip: `/pdf_service_client-${version}-py3-none-any.whl`,
};
