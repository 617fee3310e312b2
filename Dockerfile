# `npm run image` makes the archive: all that the service needs beside Node. docs/self-hosting.md describes the image.
FROM node:22-bookworm-slim
ADD dist/pdf-service.tar.gz /app
RUN install --directory --owner=node --group=node /data
USER node
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8787
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Small heap spaces: this process passes bytes on, and workerd does the work.
CMD ["node", "--max-semi-space-size=1", "--expose-gc", "/app/bin/serve.js"]
