/** The commands for files, jobs, and the account, as help and completion show them. */
import { resultOptions } from "./operation.ts";
import type { Option } from "./options.ts";

export interface AccountCommand {
  readonly name: string;
  readonly summary: string;
  /** Without the name of the program. */
  readonly usage: readonly string[];
  readonly verbs: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
}

const listOptions: readonly Option[] = [
  { name: "limit", kind: "value", placeholder: "N", description: "How many to list, from 1 to 100. Default: 100." },
  {
    name: "cursor",
    kind: "value",
    placeholder: "CURSOR",
    description: "Where to go on: the cursor below the list before.",
  },
];

const expiresIn: Option = {
  name: "expires-in",
  kind: "value",
  placeholder: "SECONDS",
  description: "How long the file is kept. Default: 86400.",
};

export const accountCommands: readonly AccountCommand[] = [
  {
    name: "files",
    summary: "Upload, list, download, and delete files that the service keeps for a while",
    usage: [
      "files upload FILE...",
      "files [list]",
      "files get ID...",
      "files download ID... [-o PATH]",
      "files delete ID...",
    ],
    verbs: ["upload", "list", "get", "download", "delete"],
    options: [...resultOptions, expiresIn, ...listOptions],
    examples: ["files upload book.pdf --expires-in 3600", "files download file_... -o book.pdf"],
  },
  {
    name: "jobs",
    summary: "List, await, cancel, and delete jobs, and get their results",
    usage: [
      "jobs [list] [--status STATUS]",
      "jobs get ID...",
      "jobs wait ID [-o PATH]",
      "jobs cancel ID...",
      "jobs delete ID...",
    ],
    verbs: ["list", "get", "wait", "cancel", "delete"],
    options: [
      ...resultOptions,
      {
        name: "status",
        kind: "value",
        values: ["queued", "running", "succeeded", "partial", "failed", "canceled", "expired"],
        description: "Only jobs with this status.",
      },
      ...listOptions,
    ],
    examples: ["ocr book.pdf --output pdf --detach", "jobs wait job_... -o book-text.pdf"],
  },
  {
    name: "usage",
    summary: "Show the credits that the account has used this month",
    usage: ["usage"],
    verbs: [],
    options: [],
    examples: ["usage --json"],
  },
  {
    name: "login",
    summary: "Store an API key in a config file that only you can read",
    usage: ["login [--url URL]"],
    verbs: [],
    options: [],
    examples: ["login --url https://pdf.example.com", "login < key.txt"],
  },
  {
    name: "logout",
    summary: "Remove the config file",
    usage: ["logout"],
    verbs: [],
    options: [],
    examples: ["logout"],
  },
  {
    name: "completion",
    summary: "Print a script that completes commands and options in bash, zsh, or fish",
    usage: ["completion bash|zsh|fish"],
    verbs: ["bash", "zsh", "fish"],
    options: [],
    examples: [
      "completion bash > ~/.local/share/bash-completion/completions/pdf-service",
      "completion zsh > ~/.zfunc/_pdf-service",
      "completion fish > ~/.config/fish/completions/pdf-service.fish",
    ],
  },
];
