import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from "n8n-workflow";
import { operations, parameters } from "./operations";
import { readResult } from "./response";
import { sendForm } from "./request";

export class PdfService implements INodeType {
  description: INodeTypeDescription = {
    displayName: "PDF Service",
    name: "pdfService",
    icon: { light: "file:../../icons/pdf-service.svg", dark: "file:../../icons/pdf-service.dark.svg" },
    group: ["transform"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Merge, split, read, compress, protect, redact, and otherwise change PDFs",
    defaults: { name: "PDF Service" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "pdfServiceApi", required: true }],
    requestDefaults: {
      baseURL: "={{$credentials.baseUrl}}",
      method: "POST",
      encoding: "arraybuffer",
      // The body of an error says what is wrong with which parameter: see readResult.
      ignoreHttpStatusErrors: true,
    },
    properties: [
      {
        displayName: "Operation",
        name: "operation",
        type: "options",
        noDataExpression: true,
        default: "merge",
        options: operations,
        routing: {
          request: { url: "=/api/v1/{{$value}}" },
          send: { preSend: [sendForm] },
          output: { postReceive: [readResult] },
        },
      },
      ...parameters,
    ],
  };
}
