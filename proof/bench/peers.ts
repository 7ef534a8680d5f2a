import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { besideEmmett, loadEmmett } from './peers/besideEmmett.ts'
import { besidePgBoss } from './peers/besidePgBoss.ts'
import { besideWs } from './peers/besideWs.ts'
import { toMarkdown } from './peers/report.ts'
import { describeMachine, readLoad } from './table/report.ts'

/**
 * Compares Kinora with packages that do a part of its work, in alternating rounds: `npm run bench -- peers [--json
 * <file>]`. pg-boss queues jobs, `ws` delivers messages, and Emmett appends events if `KINORA_BENCH_EMMETT` names a folder
 * where `@event-driven-io/emmett-postgresql` is installed. `npm run bench -- http` compares with node:http and Koa.
 */
const { values } = parseArgs({ options: { json: { type: 'string' } } })
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version

const emmett = await loadEmmett()
if (!emmett) console.log('KINORA_BENCH_EMMETT is not set: Emmett is not measured')
const machine = {
  ...describeMachine(),
  load: readLoad(),
  peers: { ...(emmett && { emmett: emmett.version }), 'pg-boss': versionOf('pg-boss'), ws: versionOf('ws') },
}
const rows = [...(emmett ? await besideEmmett(emmett.emmett) : []), ...(await besidePgBoss()), ...(await besideWs())]
console.log(`\n${toMarkdown(rows)}\n\n${JSON.stringify(machine, undefined, 2)}`)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`)
