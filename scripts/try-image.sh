#!/bin/sh
# Does what `docker compose up` would do, without Docker: runs the steps of the Dockerfile, each stage in a Debian of its own, then its command without a
# network, as its user, and with nothing to write to but the volume. Needs root, debootstrap, iproute2, curl, Node 22, and npm. Prints what it measures, and
# fails if something is not as it should be. BASE: a folder with such a Debian (debootstrap --variant=minbase --include=libstdc++6), to save the download.
set -eu
cd "$(dirname "$0")/.."
fail() { echo "$1" >&2; [ ! -f /tmp/try-image.log ] || cat /tmp/try-image.log >&2; exit 1; }

# The elements of a JSON array as words of a shell.
words() { node -p "JSON.parse(process.argv[1]).map((word) => \"'\" + word.replaceAll(\"'\", \"'\\\\\\\\''\") + \"'\").join(' ')" "$1"; }

# Instructions, one a line: without comments, and with the lines that are continued joined.
instructions() { awk '/^[[:space:]]*#/ || /^[[:space:]]*$/ { next } { line = line $0 } /\\$/ { sub(/\\$/, "", line); next } { print line; line = "" }' Dockerfile; }

# Copies files of the clone, but for those in .dockerignore.
copy_context() {
  target=$1
  shift
  sed -e '/^#/d' -e 's|^\*\*/\(.*\)|\1|; t' -e 's|^|./|' .dockerignore >"$work/ignored"
  for source in "$@"; do
    tar --create --anchored --exclude-from="$work/ignored" --file=- "./${source#./}" | tar --extract --no-same-owner --directory="$target" --file=-
  done
}

copy() {
  from=
  case $1 in --from=*) from=${1#--from=} && shift ;; --*) fail "COPY $1 is not known here." ;; esac
  for target in "$@"; do :; done
  case $target in /*) target=$root$target ;; *) target=$root$directory/$target ;; esac
  mkdir -p "$target"
  while [ $# -gt 1 ]; do
    if [ -n "$from" ]; then cp -a "$work/stages/$from$1/." "$target"; else copy_context "$target" "$1"; fi
    shift
  done
}

# As the user of the stage, with its variables and none of this shell's.
in_stage() { env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME="$home" $variables "$@"; }

begin_stage() {
  [ "$1" = node:22-bookworm-slim ] || fail "The image $1 is not known here."
  stage=${3:-final}
  root=$work/stages/$stage
  directory=/ user=0:0 home=/root variables=
  cp -a "$work/base" "$root"
}

build() {
  mkdir "$work/stages"
  instructions >"$work/instructions"
  while IFS= read -r line <&3; do
    rest=${line#* }
    case ${line%% *} in
      FROM) begin_stage $rest ;;
      WORKDIR) directory=$rest && mkdir -p "$root$directory" ;;
      COPY) copy $rest ;;
      RUN)
        echo "RUN $rest"
        # The network is this machine's, and so are its certificates.
        in_stage ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt} unshare --mount --pid --fork sh -c \
          'mount -t proc proc "$1/proc" && exec chroot --userspec="$2" "$1" sh -c "$3"' sh "$root" "$user" "cd $directory && $rest" ;;
      USER) user=$(in_stage chroot "$root" sh -c "echo \$(id -u $rest):\$(id -g $rest)") home=/home/$rest ;;
      ENV) variables="$variables $rest" ;;
      VOLUME) volume=$rest ;;
      EXPOSE) port=$rest ;;
      HEALTHCHECK) health=$(words "[${rest#*CMD [}") ;;
      CMD) command=$(words "$rest") ;;
      *) fail "The instruction is not known here: $line" ;;
    esac
  done 3<"$work/instructions"
}

if [ "${1:-}" != inside ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if [ -n "${BASE:-}" ]; then cp -a "$BASE" "$work/base"
  else debootstrap --variant=minbase --include=libstdc++6 bookworm "$work/base" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 1; }
  fi
  # What the image of Node adds to Debian's.
  install "$(node -p process.execPath)" "$work/base/usr/local/bin/node"
  mkdir -p "$work/base/usr/local/lib/node_modules"
  cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$work/base/usr/local/lib/node_modules/npm"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
  chroot "$work/base" useradd --create-home --uid 1000 node
  cp -L /etc/resolv.conf "$work/base/etc/resolv.conf"
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp -L "$NODE_EXTRA_CA_CERTS" "$work/base/etc/host-certificates.crt"
  build
  du -sh --apparent-size "$root/app" | awk '{ print "the service: " $1 }'
  unshare --mount --net --pid --fork --mount-proc "$0" inside "$root" "$user" "$variables" "$volume" "$port" "$command" "$health"
  exit
fi

shift
root=$1 user=$2 variables=$3 volume=$4 port=$5 command=$6 health=$7 home=/home/node
ip link set lo up
mount --bind "$root" "$root"
mount --bind "$root$volume" "$root$volume"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
chroot=$(command -v chroot)
base=http://127.0.0.1:$port
run() { exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$home" $variables "$chroot" --userspec="$user" "$root" "$@"; }
now() { date +%s%3N; }
start() {
  eval "run $command" >/tmp/try-image.log 2>&1 &
  server=$!
  began=$(now)
  until curl -sf "$base/api/v1/ready" >/dev/null; do
    kill -0 "$server" 2>/dev/null || fail "The server has ended."
    [ $(($(now) - began)) -lt 180000 ] || fail "The server is not ready."
    sleep 0.05
  done
  ready=$(($(now) - began))
}
stop() { kill -TERM "$server"; wait "$server" || fail "The server ended with $?."; }
merge() {
  curl -sf "$base/api/v1/merge" -H "Authorization: Bearer $key" -F file0=@examples/letter.pdf -F file1=@examples/form.pdf -o /tmp/try-image.pdf
  head -c 5 /tmp/try-image.pdf | grep -q '%PDF-' || fail "That is no PDF."
}

if (eval "run $health"); then fail "The health check passes without a server."; fi
start
echo "ready after $ready ms"
(eval "run $health") || fail "The health check fails."
key=$(run node /app/bin/account.js create --name Operator --plan pro --data "$volume" | sed 's/.*"key":"\([^"]*\)".*/\1/')
merge
began=$(now)
merge
echo "merge: $(($(now) - began)) ms"
sleep 2
awk '/^RssAnon/ { own += $2 } /^VmRSS/ { all += $2 } END { printf "idle: %d MB of its own, %d MB with its program files\n", own / 1024, all / 1024 }' /proc/[0-9]*/status
[ -z "$(find "$root" -xdev -newer "$0" -user 1000 -not -path "$root$volume*" -not -path "$root/home/*" -not -path "$root/proc*")" ] || fail "Something was written beside the volume."
stop
echo "stopped"

# A backup of the volume is all that is needed.
tar -C "$root$volume" -cf /tmp/try-image.tar .
find "$root$volume" -mindepth 1 -delete
tar -C "$root$volume" -xf /tmp/try-image.tar
start
merge
echo "first merge after a start: $(($(now) - began)) ms"
stop
echo "restored"
