import { describe, expect, it } from "vitest";
import { publicUrlIssue } from "../src/public-url.ts";

const deployed = { baseUrl: "https://pdf.example.com", allowLocal: false };
const development = { baseUrl: "http://localhost:8787", allowLocal: true };

describe("publicUrlIssue", () => {
  it.each([
    "https://example.com",
    "https://hooks.example.com/a/b?c=d",
    "HTTPS://EXAMPLE.com/",
    "https://example.com:443/hooks",
    "https://a-b.c--d.example.co.uk/",
    "https://münchen.de/haken",
    "https://xn--mnchen-3ya.de/",
    "https://example.com/%C3%BC/@/:8080",
    "https://pdf.example.com.evil.org/",
    "https://internal.example.com/",
    "https://localhost.example.com/",
    "https://10.example.com/",
    "https://0x7f.com/",
  ])("publicUrlIssue accepts %s", (url) => {
    expect(publicUrlIssue(url, deployed)).toBeUndefined();
    expect(publicUrlIssue(url, development)).toBeUndefined();
  });

  const everywhere = [
    // Not https.
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "//example.com/",
    "example.com",
    "https:example.com",
    "https:/example.com",
    "https://",
    "https:///hooks",
    "",
    // Ports.
    "https://example.com:80/",
    "https://example.com:8443/",
    "https://example.com:22/",
    "https://example.com:0/",
    "https://example.com:99999/",
    // User names.
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://@example.com/",
    "https://:@example.com/",
    "https://example.com@127.0.0.1/",
    // What a parser drops or turns.
    "https://example.com\\@127.0.0.1/",
    "https:\\\\example.com/",
    "https://exam\tple.com/",
    "https://exam\nple.com/",
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/\u0000",
    "https://example.com/#fragment",
    // IPv4 in every spelling.
    "https://10.0.0.1/",
    "https://192.168.1.1/",
    "https://172.16.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0xA9.0xFE.0xA9.0xFE/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    "https://169.16689662/",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://0/",
    "https://255.255.255.255/",
    "https://224.0.0.1/",
    "https://8.8.8.8/",
    "https://8.8.8.8./",
    "https://１６９.２５４.１６９.２５４/",
    "https://169。254。169。254/",
    "https://%31%36%39.254.169.254/",
    "https://169.254.169.254.:443/",
    "https://1.2.3.4.5/",
    "https://256.256.256.256/",
    "https://example.1/",
    // IPv6.
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:a9fe:a9fe::]/",
    "https://[::]/",
    "https://[2001:4860:4860::8888]/",
    "https://[fe80::1%25eth0]/",
    "https://[::1/",
    // Names.
    "https://localhost./",
    "https://localhost.localdomain/",
    "https://api.localhost/",
    "https://printer.local/",
    "https://printer.LOCAL/",
    "https://printer.local./",
    "https://service.internal/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://instance-data.ec2.internal/",
    "https://router.home.arpa/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://a.test/",
    "https://a.example/",
    "https://a.invalid/",
    "https://a.onion/",
    "https://a.alt/",
    "https://a.lan/",
    "https://a.corp/",
    "https://a.home/",
    "https://a.intranet/",
    "https://kubernetes.default.svc/",
    "https://kubernetes.default.svc.cluster.local/",
    "https://a.consul/",
    "https://metadata.goog/",
    "https://a.metadata.goog/",
    "https://metadata.tencentyun.com/",
    "https://intranet/",
    "https://metadata/",
    "https://com/",
    "https://example.com./",
    "https://example.com../",
    "https://.example.com/",
    "https://a..example.com/",
    "https://-a.example.com/",
    "https://a-.example.com/",
    "https://a_b.example.com/",
    "https://*.example.com/",
    "https://xn--a.example/",
    "https://ｌｏｃａｌ.ｌｏｃａｌ/",
    "https://metadata。goog/",
    `https://${"a".repeat(64)}.example.com/`,
    `https://${"a.".repeat(130)}example.com/`,
    `https://example.com/${"a".repeat(2_048)}`,
  ];
  // Loopback, which development opens.
  const loopback = [
    "http://127.0.0.1/",
    "http://127.0.0.1:9999/hooks",
    "https://localhost/",
    "http://LOCALHOST:9999/",
    "http://[::1]:9999/",
    "http://2130706433:9999/",
    "http://0x7f.1:9999/",
    "http://0177.0.0.1:9999/",
    "http://127.1:9999/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "https://１２７.０.０.１/",
  ];

  it.each(everywhere)("publicUrlIssue rejects %s", (url) => {
    expect(publicUrlIssue(url, deployed)).toMatch(/^must /);
    expect(publicUrlIssue(url, development)).toMatch(/^must /);
  });

  it.each(loopback)("accepts %s in development only", (url) => {
    expect(publicUrlIssue(url, development)).toBeUndefined();
    expect(publicUrlIssue(url, deployed)).toMatch(/^must /);
  });

  it("rejects the service itself", () => {
    for (const url of ["https://pdf.example.com/", "https://PDF.example.com:443/api/v1/health"]) {
      expect(publicUrlIssue(url, deployed)).toBe("must not be an address of this service");
    }
    for (const host of ["localhost", "127.0.0.1", "[::1]", "127.1", "0x7f000001"]) {
      expect(publicUrlIssue(`http://${host}:8787/`, development)).toBe("must not be an address of this service");
    }
  });
});
