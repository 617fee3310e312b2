import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

export class PdfServiceApi implements ICredentialType {
  name = "pdfServiceApi";

  displayName = "PDF Service API";

  icon: Icon = { light: "file:../icons/pdf-service.svg", dark: "file:../icons/pdf-service.dark.svg" };

  documentationUrl = "https://docs.n8n.io/integrations/community-nodes/installation/manual-install/";

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      placeholder: "https://pdf.example.com",
      description: "Where the service runs",
      required: true,
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description: "Starts with sk_live_ or sk_test_",
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.baseUrl}}", url: "/api/v1/usage" },
  };
}
