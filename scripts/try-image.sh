#!/bin/sh
# Does what the image would do, without Docker: the archive of `npm run image` in a Debian of its own, without a network, as another user, and with
# nothing to write to but the volume. Needs root, debootstrap, iproute2, and curl. Prints what it measures, and fails if something is not as it should be.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" != inside ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  debootstrap --variant=minbase --include=libstdc++6 bookworm "$work/root" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 1; }
  mkdir "$work/root/app" "$work/root/data"
  tar -xzf dist/pdf-service.tar.gz -C "$work/root/app"
  install "$(node -p process.execPath)" "$work/root/usr/local/bin/node"
  chown 1000:1000 "$work/root/data"
  unshare --mount --net --pid --fork --mount-proc "$0" inside "$work/root"
  exit
fi

root=$2
ip link set lo up
mount --bind "$root" "$root"
mount --bind "$root/data" "$root/data"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
chroot=$(command -v chroot)
secret=$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')
base=http://127.0.0.1:8787
run() { exec env -i PATH=/usr/local/bin:/usr/bin:/bin DATA_DIR=/data HOST=0.0.0.0 PORT=8787 SERVER_SECRET="$secret" "$chroot" --userspec=1000:1000 "$root" "$@"; }
fail() { echo "$1" >&2; cat /tmp/try-image.log >&2; exit 1; }
now() { date +%s%3N; }
start() {
  run node --max-semi-space-size=1 --expose-gc /app/bin/serve.js >/tmp/try-image.log 2>&1 &
  server=$!
  began=$(now)
  until curl -sf "$base/api/v1/ready" >/dev/null; do
    kill -0 "$server" 2>/dev/null || fail "The server has ended."
    [ $(($(now) - began)) -lt 60000 ] || fail "The server is not ready."
    sleep 0.05
  done
  ready=$(($(now) - began))
}
stop() { kill -TERM "$server"; wait "$server" || fail "The server ended with $?."; }
merge() {
  curl -sf "$base/api/v1/merge" -H "Authorization: Bearer $key" -F file0=@examples/letter.pdf -F file1=@examples/form.pdf -o /tmp/try-image.pdf
  head -c 5 /tmp/try-image.pdf | grep -q '%PDF-' || fail "That is no PDF."
}

start
echo "ready after $ready ms"
key=$(run node /app/bin/account.js create --name Operator --plan pro --data /data | sed 's/.*"key":"\([^"]*\)".*/\1/')
merge
began=$(now)
merge
echo "merge: $(($(now) - began)) ms"
sleep 2
awk '/^RssAnon/ { own += $2 } /^VmRSS/ { all += $2 } END { printf "idle: %d MB of its own, %d MB with its program files\n", own / 1024, all / 1024 }' /proc/[0-9]*/status
[ -z "$(find "$root" -xdev -newer "$0" -user 1000 -not -path "$root/data*" -not -path "$root/proc*")" ] || fail "Something was written beside the volume."
stop
echo "stopped"

# A backup of the volume is all that is needed.
tar -C "$root/data" -cf /tmp/try-image.tar .
find "$root/data" -mindepth 1 -delete
tar -C "$root/data" -xf /tmp/try-image.tar
start
merge
echo "first merge after a start: $(($(now) - began)) ms"
stop
echo "restored"
