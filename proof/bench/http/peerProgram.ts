import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Koa from 'koa'
import { openPool } from '#backend/kernel/postgres/openPool.ts'
import { RESERVE_SQL } from '../ratios/reserve.sql.ts'

// The least that a server without an event log would do for a video: find the session, reserve the credits in one SQL
// function, answer. Serves it by node:http and by Koa, and prints both ports. Takes a `pg` configuration.
const pool = openPool({ ...JSON.parse(process.argv[2]!), max: 12 })
const CREDITS = 30
const USERS = 1_000
await pool.query(RESERVE_SQL)
await pool.query(`
create table session (id text primary key, user_id uuid not null);
insert into session select n::text, gen_random_uuid() from generate_series(1, ${USERS}) n;
insert into balance select user_id, 1000000000, 0 from session`)

async function generate(request: IncomingMessage): Promise<string> {
  const generation = JSON.parse(await text(request))
  const id = randomUUID()
  const session = String(1 + Math.floor(Math.random() * USERS))
  const { rows } = await pool.query({
    ...{ name: 'session', text: 'select user_id from session where id = $1', values: [session] },
  })
  const reserve = 'select reserve($1, $2, $3, $4)'
  await pool.query({ name: 'reserve', text: reserve, values: [id, rows[0].user_id, CREDITS, generation] })
  const task = { id, ...generation, status: 'Preparing', created_at: new Date().toISOString() }
  return JSON.stringify({ task, credits_remaining: 0 })
}

/** Connections stay open while the other side is measured. */
const OPTIONS = { keepAliveTimeout: 600_000 }
const bare = createServer(OPTIONS, async (request, response) => {
  const body = await generate(request)
  response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
const koa = new Koa().use(async (ctx) => {
  ctx.body = await generate(ctx.req)
  ctx.status = 202
})
const ports = [bare, createServer(OPTIONS, koa.callback())].map(
  (server) => (server.listen(0).address() as AddressInfo).port,
)
console.log(`ready ${ports.join(' ')}`)
