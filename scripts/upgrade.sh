#!/bin/sh
# Upgrades a running compose installation, process by process, under a canary. Needs Docker alone. After `git pull`:
#   sh scripts/upgrade.sh           backs up, builds the image, replaces the processes
#   sh scripts/upgrade.sh --pull    pulls KINORA_IMAGE instead of building it
#   sh scripts/upgrade.sh --as-is   only replaces the processes; rolls back with KINORA_IMAGE=kinora:before-upgrade
# See docs/decisions/0046-upgrade-beside.md.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-}
case $mode in '' | --pull | --as-is) ;; *) sed -n 's/^# \{0,1\}//; 2,5p' "$0" >&2; exit 2 ;; esac

before=kinora:before-upgrade
canary=kinora-canary-$$
# A new process may migrate a large database before it is healthy, seconds.
wait_seconds=${UPGRADE_WAIT_SECONDS:-600}

running() { docker compose ps --quiet "$1"; }
inspect() { docker inspect --format "$1" "$2"; }

# Processes that an interrupted upgrade stopped or created. Does not list those of `docker compose run`.
exited() {
  docker ps --all --quiet --filter status=exited --filter status=created --filter "label=com.docker.compose.project=$project" \
    --filter label=com.docker.compose.oneoff=False --filter "label=com.docker.compose.service=$1"
}

# The new process until it can serve.
new=
trap 'docker rm --force "$canary" $new >/dev/null 2>&1 || true' EXIT
trap 'exit 130' HUP INT TERM

stop() {
  echo "upgrade stopped: $1" >&2
  echo "To roll back: KINORA_IMAGE=$before sh scripts/upgrade.sh --as-is" >&2
  exit 1
}

# The canary ends itself at its first failed call.
check_canary() {
  [ "$(inspect '{{.State.Running}}' "$canary")" = true ] || stop "$(docker logs "$canary" 2>&1)"
}

# An upgrade that was killed leaves its canary, which calls the entry for ever.
remove_canaries() {
  for left in $(docker ps --all --quiet --filter name=^kinora-canary- --filter "label=com.docker.compose.project=$project"); do
    docker rm --force "$left" >/dev/null
  done
}

start_canary() {
  site=$(docker compose exec -T entry printenv SITE_ADDRESS)
  docker compose run --detach --no-deps --name "$canary" --env "SITE_ADDRESS=$site" --entrypoint node ops \
    --input-type=module --eval "$(cat scripts/upgradeCanary.mjs)" >/dev/null
  sleep 3
  check_canary
}

# Waits until a container is healthy. A restart means that the new version refuses to start.
await_healthy() {
  waited=0
  until [ "$(inspect '{{.State.Health.Status}}' "$1")" = healthy ]; do
    check_canary
    if [ "$(inspect '{{.RestartCount}}' "$1")" != 0 ] || [ "$waited" -ge "$wait_seconds" ]; then
      docker logs --tail 20 "$1" >&2
      stop "the new process of $2 did not become healthy, and was removed; the previous ones run"
    fi
    sleep 1
    waited=$((waited + 1))
  done
}

# Starts a process beside the others, and stops the given one when the new one can serve.
replace() {
  service=$1 old=$2
  present=$(running "$service")
  count=$(echo "$present" | wc -l)
  docker compose up --detach --no-deps --no-recreate --no-build --scale "$service=$((count + 1))" "$service"
  new=$(running "$service" | grep -vxF "$present") || stop "no new process of $service"
  [ "$(inspect '{{.Image}}' "$new")" = "$(inspect '{{.Image}}' "$canary")" ] ||
    stop "the new process of $service has another image, and was removed; the previous ones run"
  await_healthy "$new" "$service"
  # For 2 s after a failed connection the entry does not try that process again (fail_duration).
  sleep 3
  new=
  docker stop "$old" >/dev/null
  docker rm "$old" >/dev/null
  check_canary
}

case " $(docker compose config --services | tr '\n' ' ') " in
  *' kinora '*) services=kinora ;;
  *) services='projections workers api' ;;
esac
for service in $services; do
  [ -n "$(running "$service")" ] || { echo "$service is not running: docker compose up -d" >&2; exit 1; }
done

one=$(running "${services##* }" | head -n 1)
project=$(inspect '{{index .Config.Labels "com.docker.compose.project"}}' "$one")

if [ "$mode" != --as-is ]; then
  # The new image would replace the one to roll back to.
  if docker compose config --images | grep -qxF "$before"; then
    echo "KINORA_IMAGE is $before. Remove KINORA_IMAGE from .env, or name the image to pull, and start the upgrade again." >&2
    exit 1
  fi
  # The oldest process: an upgrade that stopped may have replaced others.
  oldest=$(docker inspect --format '{{.Created}} {{.Image}}' $(running "${services##* }") $(exited "${services##* }") | sort | head -n 1)
  docker tag "${oldest#* }" "$before"
  copy=/backups/before-upgrade-$(date -u +%Y%m%dT%H%M%SZ)
  KINORA_IMAGE=$before docker compose run --rm --no-deps -T ops backup --out "$copy"
  if [ "$mode" = --pull ]; then docker compose pull "${services##* }"; else docker compose build "${services##* }"; fi
fi

remove_canaries
start_canary
for service in $services; do
  # `up` would start these instead of new processes.
  for left in $(exited "$service"); do docker rm "$left" >/dev/null; done
  for old in $(running "$service"); do replace "$service" "$old"; done
done
check_canary
docker stop "$canary" >/dev/null
docker logs "$canary"
