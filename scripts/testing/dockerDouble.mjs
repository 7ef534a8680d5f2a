import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'

// A double of the `docker` program for upgrade.sh. It keeps its containers in the file DOCKER_DOUBLE, with the faults that a
// test sets: `crashes` makes new processes restart, `failsAt` is the number of `docker stop` calls after which the canary fails,
// `startsImage` is the image of new processes.
const FILE = process.env.DOCKER_DOUBLE
const state = JSON.parse(readFileSync(FILE, 'utf8'))
const args = process.argv.slice(2)
appendFileSync(`${FILE}.log`, `${args.join(' ').split('\n')[0]}\n`)
const of = (service) => state.containers.filter((one) => one.service === service)
const upOf = (service) => of(service).filter(({ up }) => up)
const named = (id) => state.containers.find((one) => one.id === id)
const last = args.at(-1)
const image = process.env.KINORA_IMAGE ?? 'kinora:local'

const start = (service) => {
  const id = `${service}-${++state.made}`
  const started = state.startsImage ?? state.images[image]
  state.containers.push({ id, service, image: started, restarts: state.crashes ? 1 : 0, up: true })
}

/** Starts or removes processes of a service, as `docker compose up --no-recreate` does: exited ones are started first. */
function scale(service) {
  const given = / --scale \w+=(\d+)/.exec(args.join(' '))?.[1]
  const wanted = Number(given ?? state.replicas[service])
  while (of(service).length < wanted) start(service)
  for (const one of of(service).slice(wanted)) remove(one.id)
  for (const one of of(service)) one.up = true
}

function remove(id) {
  state.containers = state.containers.filter((one) => one.id !== id)
}

function stop(id) {
  named(id).up = false
  if (++state.stops === state.failsAt)
    Object.assign(
      state.containers.find((one) => one.service === 'canary'),
      { up: false },
    )
  const { service } = named(id)
  if (service === 'canary') return
  const healthy = upOf(service).filter(({ restarts }) => !restarts).length
  if (healthy < state.replicas[service]) state.faults.push(`only ${healthy} of ${service}`)
}

const inspected = (one) => ({
  '{{.State.Running}}': one.up,
  '{{.State.Health.Status}}': one.restarts ? 'starting' : 'healthy',
  '{{.RestartCount}}': one.restarts,
  '{{.Image}}': one.image,
  '{{index .Config.Labels "com.docker.compose.project"}}': 'kinora',
  '{{.Created}} {{.Image}}': `${one.created ?? '2026-01-01'} ${one.image}`,
})

const COMPOSE = {
  config: () => console.log(args.includes('--images') ? image : Object.keys(state.replicas).join('\n')),
  ps: () =>
    console.log(
      upOf(last)
        .map(({ id }) => id)
        .join('\n'),
    ),
  exec: () => console.log(':8080'),
  build: () => Object.assign(state.images, { 'kinora:local': 'sha256:new' }),
  pull: () => Object.assign(state.images, { [image]: 'sha256:new' }),
  up: () => scale(last),
  run: () => {
    if (args.includes('backup')) process.exitCode = state.backupFails ? 1 : 0
    else
      state.containers.push({
        id: args[args.indexOf('--name') + 1],
        service: 'canary',
        image: state.images[image],
        up: true,
      })
  },
}
const DOCKER = {
  compose: () => COMPOSE[args[1]](),
  inspect: () => {
    for (const id of args.slice(3)) console.log(inspected(named(id))[args[2]])
  },
  logs: () =>
    console.log(state.stops >= state.failsAt ? '1 of 9 calls failed: GET /: status 502' : '0 of 9 calls failed'),
  ps: () => {
    const filters = args
      .filter((_, at) => args[at - 1] === '--filter')
      .map((filter) => filter.replace(/^.*compose\./, ''))
    const isFound = (one) =>
      filters.includes(`project=${one.project ?? 'kinora'}`) &&
      (one.service === 'canary'
        ? filters.includes('name=^kinora-canary-')
        : filters.includes(`service=${one.service}`) && filters.includes('status=exited') && !one.up)
    for (const one of state.containers.filter(isFound)) console.log(one.id)
  },
  stop: () => stop(last),
  rm: () => args.slice(1).forEach(remove),
  tag: () => Object.assign(state.images, { [args[2]]: args[1] }),
}
DOCKER[args[0]]()
writeFileSync(FILE, JSON.stringify(state))
