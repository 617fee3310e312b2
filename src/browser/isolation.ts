/**
 * What keeps a document from the network besides the interception of its requests. Interception alone lets connections out that are no requests of the
 * page: WebRTC, preconnects, WebSockets, and those of workers.
 */

/**
 * A proxy that nobody can connect to: no packet can be sent to the broadcast address over TCP, so that the system refuses the connection at once. The
 * host names of a proxied request are not resolved here. Without the bypass rule, Chromium would connect to this machine without the proxy.
 */
export const DEAD_PROXY = { proxyServer: "http://255.255.255.255:1", proxyBypassList: "<-loopback>" } as const;

/**
 * The Content-Security-Policy of every document. Pictures, style sheets, and fonts may have any address: their requests are intercepted, and those that
 * fail are reported. `sandbox` forbids popups, forms, downloads, dialogs, and leaving the page.
 */
export function contentSecurityPolicy(allowsScripts: boolean): string {
  const anywhere = "http: https: data: blob:";
  return [
    `default-src 'self' data: blob:`,
    `img-src ${anywhere}`,
    `style-src ${anywhere} 'unsafe-inline'`,
    `font-src ${anywhere}`,
    `script-src ${allowsScripts ? `${anywhere} 'unsafe-inline' 'unsafe-eval'` : "'none'"}`,
    `connect-src ${allowsScripts ? "'self' https: data: blob:" : "'none'"}`,
    `frame-src 'self'`,
    `worker-src 'none'`,
    `object-src 'none'`,
    `form-action 'none'`,
    `webrtc 'block'`,
    `sandbox allow-same-origin${allowsScripts ? " allow-scripts" : ""}`,
  ].join("; ");
}

/** Interfaces that reach the network, or other processes of the browser, without a request that can be intercepted. */
const GLOBALS = [
  "WebSocket",
  "WebSocketStream",
  "WebSocketError",
  "EventSource",
  "WebTransport",
  "RTCPeerConnection",
  "webkitRTCPeerConnection",
  "RTCDataChannel",
  "RTCIceTransport",
  "RTCDtlsTransport",
  "RTCSctpTransport",
  "RTCRtpSender",
  "RTCRtpReceiver",
  "RTCCertificate",
  "Worker",
  "SharedWorker",
  "ServiceWorkerContainer",
  "TCPSocket",
  "UDPSocket",
  "TCPServerSocket",
  "PaymentRequest",
  "PresentationRequest",
  "Notification",
  "PushManager",
  "SpeechRecognition",
  "webkitSpeechRecognition",
  "SpeechSynthesisUtterance",
  "BroadcastChannel",
  "fetchLater",
  "open",
] as const;

const OF_NAVIGATOR = [
  "sendBeacon",
  "serviceWorker",
  "mediaDevices",
  "getUserMedia",
  "webkitGetUserMedia",
  "bluetooth",
  "usb",
  "serial",
  "hid",
  "credentials",
  "geolocation",
  "share",
  "registerProtocolHandler",
  "joinAdInterestGroup",
  "runAdAuction",
] as const;

/** A script that removes them from a document before its own scripts run. They cannot be put back: they are not configurable. */
export const REMOVAL = `(() => {
  const remove = (from, names) => {
    for (const name of names) {
      try {
        Object.defineProperty(from, name, { value: undefined, writable: false, configurable: false });
      } catch {
        try { delete from[name]; } catch {}
      }
    }
  };
  remove(globalThis, ${JSON.stringify(GLOBALS)});
  remove(Navigator.prototype, ${JSON.stringify(OF_NAVIGATOR)});
})();`;
