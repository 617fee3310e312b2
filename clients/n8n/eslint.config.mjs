import { config } from "@n8n/node-cli/eslint";

export default [
  ...config,
  {
    files: ["package.json"],
    rules: {
      // Whoever publishes the package adds themselves.
      "@n8n/community-nodes/valid-author": "off",
      "@n8n/community-nodes/require-homepage": "off",
      "n8n-nodes-base/community-package-json-author-missing": "off",
    },
  },
];
